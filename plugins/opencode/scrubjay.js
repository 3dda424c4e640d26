// Written by `scrubjay install`; `scrubjay uninstall` removes it.
// Tells the agent what it should know, and keeps what was said, through the command `scrubjay hook`.
import { spawn } from "node:child_process"

const COMMAND = ["scrubjay"]
const MILLISECONDS = 10_000

/** What `scrubjay hook opencode EVENT` tells the agent; nothing if anything goes wrong. */
const hook = (event, fields) =>
  new Promise((resolve) => {
    const [program, ...words] = [...COMMAND, "hook", "opencode", event]
    let printed = ""
    const child = spawn(program, words, { stdio: ["pipe", "pipe", "ignore"], timeout: MILLISECONDS })
    child.on("error", () => resolve(""))
    child.stdin.on("error", () => {})
    child.stdout.on("data", (part) => (printed += part))
    child.on("close", () => {
      try {
        resolve(JSON.parse(printed).hookSpecificOutput.additionalContext ?? "")
      } catch {
        resolve("")
      }
    })
    child.stdin.end(JSON.stringify(fields))
  })

const textOf = (parts) =>
  parts
    .filter((part) => part.type === "text" && !part.synthetic && !part.ignored)
    .map((part) => part.text)
    .join("\n")

export const Scrubjay = async ({ client, directory }) => {
  const started = new Set()

  const about = async (session) => {
    const found = await client.session.get({ path: { id: session } }).catch(() => ({}))
    return { session_id: session, cwd: directory, agent_id: found.data?.parentID } // a sub-agent has a parent
  }

  const lastAnswer = async (session) => {
    const found = await client.session.messages({ path: { id: session } }).catch(() => ({}))
    return (found.data ?? []).findLast((message) => message.info.role === "assistant")
  }

  return {
    "chat.message": async ({ sessionID }, { message, parts }) => {
      const fields = await about(sessionID)
      const told = []
      if (!started.has(sessionID)) told.push(await hook("session.created", fields))
      started.add(sessionID)
      told.push(await hook("chat.message", { ...fields, prompt: textOf(parts) }))
      for (const [index, text] of told.entries()) {
        if (!text) continue
        const id = `prt_scrubjay${index}_${message.id}`
        parts.push({ id, sessionID, messageID: message.id, type: "text", text, synthetic: true })
      }
    },
    event: async ({ event }) => {
      const session = event.properties?.sessionID
      if (event.type !== "session.idle" && event.type !== "session.compacted") return
      const answer = await lastAnswer(session)
      const name = event.type === "session.idle" ? "response" : "compact_summary"
      if (answer) await hook(event.type, { ...(await about(session)), [name]: textOf(answer.parts) })
    },
  }
}

"""Names beside which a random token is a key, those of services, and names beside which it is none."""

from __future__ import annotations

__all__ = ["NO_KEY", "SERVICES"]

SERVICES = frozenset(
    """
    adafruit adobe adyen ahrefs airbrake airtable akamai alchemy algolia alibaba alibabacloud aliyun alpaca amadeus
    amazon amplitude anthropic apollo appcenter appsflyer apptio arize artifactory asana assemblyai atlas atlassian
    auth0 authress authy autodesk avalanche avalara aviationstack aws axiom azure backblaze baidu bamboohr
    baremetrics basecamp beamer betterstack bigcommerce binance bitbucket bitfinex bitgo bitly bitmex bitrise
    bittrex blockchain blockfrost bluesky bluesnap braintree braze brevo brex browserstack bugsnag buildkite bunny
    bybit calendly campaignmonitor canva cerebras chargebee chartmogul checkly circleci cisco clarifai clearbit
    clerk clickhouse clickup clockify clojars cloudant cloudflare cloudinary cloudsmith cockroach codacy codeclimate
    codecov codeium cohere coinapi coinbase coingecko coinmarketcap confluence confluent consul contentful
    contentstack convertkit coralogix couchbase crates crowdin crowdstrike cryptocompare customerio cypress dapr
    dashlane databricks datadog datarobot datastax deepgram deepl deepseek dependabot deribit descope digicert
    digitalocean discord discourse docker dockerhub docusign doordash doppler drone droneci dropbox duffel duo
    dynatrace easypost ebay edamam elastic elasticsearch elevenlabs endorlabs etherscan etsy eventbrite exa facebook
    facepp fastly fastmail fathom fauna fcm figma filestack finage finicity finnhub firebase firecrawl fireworks
    fivetran fixer flickr flightapi flightstats flutterwave flyio formspree foursquare frameio freshbooks freshdesk
    freshworks ftx fullstory gandi gateio gemini geoapify ghost giphy gitalk gitea gitee github gitlab gitter gmail
    gocardless godaddy google gorgias grafana greenhouse gridly groq gumroad gusto harness harvest hashicorp heap
    helpscout heroku hetzner honeybadger honeycomb hootsuite hotjar hubspot huggingface ibm ifttt infobip infracost
    infura insightly instagram instana instapaper intercom intra42 intuit ipdata ipgeolocation ipinfo ipstack
    iterable jenkins jetbrains jfrog jina jira jotform jumpcloud kakao keycloak kickbox klaviyo kraken kucoin
    lacework lambdatest langchain langfuse langsmith lark lastfm launchdarkly leaseweb lichess linear linkedin
    linode litellm liveblocks logdna logfire loggly logrocket logtail logz looker loom lyft magento mailchimp
    mailerlite mailgun mailjet mailmodo mailtrap mandrill mapbox mapquest maptiler marketo mastodon matomo
    mattermost maxmind mediastack meraki mercury messagebird metabase microsoft miro mistral mixpanel mollie mongo
    mongodb moonpay moralis mux mysql nasa neo4j neon neptune netlify netsuite newrelic newsapi newyorktimes nexmo
    ngrok nightfall nitrado noaa notion novu npm nuget nvidia nylas nytimes oanda octopus okta okx omnisend onedrive
    onelogin onesignal openai opencage openrouter openshift openweather openweathermap opsgenie optimizely oracle
    outlook paddle pagerduty pagertree pandadoc paperspace parseur patreon paypal paystack pendo perplexity pexels
    pinata pinecone pinterest pipedream pipedrive pivotal pixabay plaid planetscale plivo podio polygon polymarket
    postgres posthog postman postmark powerbi prefect prisma privateai privy prowler proxycrawl pubnub pulumi puppet
    pushbullet pusher pushover pypi qdrant qovery qualtrics quickbooks quicknode rabbitmq railway rapidapi raygun
    razorpay readme rebrandly recurly reddit redis rendertron replicate resend revenuecat ringcentral roblox rollbar
    route4me rubygems runpod sailthru salesforce samsara sap saucelabs scaleway scalr scrapfly scrapingbee
    securitytrails segment semaphore semrush sendbird sendbluec sendgrid sendinblue sendowl sentry serpapi serper
    servicenow sharepoint shippo shodan shopee shopify shutterstock sidekiq signable signalfx signalwire signnow
    simplesat sinch skype slack smartsheet smartystreets smugmug snipcart snowflake snyk socketio sonar sonarcloud
    sonarqube sonatype sourcegraph sparkpost splunk spotify square squarespace squareup stability stackexchange
    stackhawk statsig statuspage storyblok strapi strava stripe stytch sumologic supabase surveymonkey survicate
    svix swiftype tableau tailscale tavily taxjar teamcity teamwork telegram telnyx tencent terraform testrail
    textmagic thinkific ticketmaster tiktok tines todoist toggl tomtom tradier trello trufflehog tumblr turso twilio
    twitch twitter typeform uber ubidots unsplash uploadcare upstash uptimerobot urlscan userstack vault vercel
    verifalia veriff viber vimeo virustotal vonage voyage vultr wakatime walkscore wandb weatherapi weatherbit
    weaviate webex webflow wechat weibo wepay whatsapp wise woocommerce wordpress workday workos wrike xai xata xero
    yahoo yandex yelp yext youtube zapier zendesk zenrows zeplin zerobounce zerotier zipcodeapi zoho zonka zoom
    zulip
    """.split()
)
# Signs of what is given a number or a digest, and is no secret.
NO_KEY = frozenset(
    """
    acct arn asset asst attr batch blob block branch build bundle bytes cache call ch channel chat chatcmpl chk
    chunk cid class cls cluster cmpl col commit component conf container conv cpython css ctx cus customer data dep
    dev device digest dir disk div doc evt event fc field file font form frame func git group h hash head host
    html i id image img in index init input inst int integrity item job js key label layer lib line link list log
    main map md md5 media mod module mount msg node num obj object op order org out page param part patch path pi
    pkg pm pod price prod proj pub query rec ref region release req res resp response rev rid row rs rule run sample
    se section segment seq session set sg sha sha1 sha224 sha256 sha384 sha512 shard si snap snapshot span src sri
    sub subnet svc tag task template test thread time tmp toolu trace tree txn type uid upload uri url user uuid val
    var vec version video vol vpc vtbl we web worker workspace x xpub nonce
    """.split()
)

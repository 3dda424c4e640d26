"""What people see and do on the page: a file for each subject, with its addresses in `PAGES`."""

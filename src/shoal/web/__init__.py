"""The local page: `server` is its base and its REST interface, `pages` what people see, `serve` starts both."""

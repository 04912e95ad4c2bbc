// What the content security policy forbids anyway, and the history cache, which would
// keep sales in the browser after sign-out.
Object.assign(htmx.config, {
  allowEval: false, includeIndicatorStyles: false, selfRequestsOnly: true, allowScriptTags: false, historyEnabled: false, refreshOnHistoryMiss: true,
});

// Shows the server's OpenAPI document, and puts the API key into the requests of this page.

"use strict";

const field = document.getElementById("key");

// The tab's storage keeps the key when the page is reloaded, and ends with the tab.
const storage = sessionStorageIfAllowed();
field.value = storage?.getItem("api_key") ?? "";
field.addEventListener("input", () => storage?.setItem("api_key", field.value));

// A browser without storage for sites throws.
function sessionStorageIfAllowed() {
  try {
    return sessionStorage;
  } catch {
    return undefined;
  }
}

// The API takes its key in the body alone, which no security scheme of OpenAPI can describe. A key
// in the field replaces the one in the body, which is a placeholder at first.
function withKey(request) {
  const key = field.value.trim();
  const body = key && objectIn(request.body);
  if (body) {
    request.body = JSON.stringify({ ...body, api_key: key }, null, 2);
  }
  return request;
}

// Any other text is sent unchanged: the server reports its fault.
function objectIn(text) {
  try {
    const value = JSON.parse(text);
    return value instanceof Object && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

// In the document, the server's URL is `/`, even if a proxy serves it below a path. The address of
// this page has that path.
const root = new URL("..", location.href);
const onThisServer = {
  statePlugins: {
    spec: {
      wrapActions: {
        updateJsonSpec: (update) => (document) => update({ ...document, servers: [{ url: root.href.replace(/\/$/, "") }] }),
      },
    },
  },
};

const dark = matchMedia("(prefers-color-scheme: dark)");
const followColors = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
dark.addEventListener("change", followColors);
followColors();

SwaggerUIBundle({
  dom_id: "#swagger-ui",
  url: new URL("openapi.json", root).pathname,
  plugins: [onThisServer],
  requestInterceptor: withKey,
  deepLinking: true,
  displayRequestDuration: true,
  tryItOutEnabled: true,
  // The document is not sent to a validator on another server.
  validatorUrl: null,
});

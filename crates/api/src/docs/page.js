// Shows what the server says of itself, and puts the API key into the requests that are made from here.

"use strict";

const field = document.getElementById("key");

// In this tab, so that the page can be loaded again, and nowhere that outlives it.
const storage = sessionStorageIfAllowed();
field.value = storage?.getItem("api_key") ?? "";
field.addEventListener("input", () => storage?.setItem("api_key", field.value));

// A browser that keeps nothing for sites refuses to be asked.
function sessionStorageIfAllowed() {
  try {
    return sessionStorage;
  } catch {
    return undefined;
  }
}

// The API takes its key in the body alone, which no security scheme of OpenAPI can say. A key in the field wins over the one
// in the body, which is a placeholder until somebody writes another.
function withKey(request) {
  const key = field.value.trim();
  const body = key && objectIn(request.body);
  if (body) {
    request.body = JSON.stringify({ ...body, api_key: key }, null, 2);
  }
  return request;
}

// Anything else is sent as it was written: the server says best what is wrong with it.
function objectIn(text) {
  try {
    const value = JSON.parse(text);
    return value instanceof Object && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

// The document calls the server `/`, as it does not know of a proxy that serves it below a path. The address of this page tells.
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
  // No server but this one is asked whether the document is right.
  validatorUrl: null,
});

// Requests to the studio, and its events. The token comes from the fragment of the URL and is kept for this tab only.

import { calm } from "./dom.js";
import { parse } from "./json.js";

const FIRST_WAIT = 400;
const LONGEST_WAIT = 4000;

let token = "";

/** An answer that says no: its code, its words and what else it tells. */
export class Refusal extends Error {
  constructor(status, error) {
    super(error?.message ?? `HTTP ${status}`);
    this.status = status;
    this.code = error?.code ?? "unknown";
    this.details = error?.details ?? null;
  }
}

/** Takes the token out of a fragment or a whole URL; whether there was one. */
export function useToken(text) {
  const found = /(?:^|[#&])token=([\w.~-]+)/.exec(text)?.[1] ?? /^\s*([\w.~-]{16,})\s*$/.exec(text)?.[1];
  if (!found) return false;
  if (token !== found) pages.postMessage(["token", found]);
  token = found;
  sessionStorage.setItem("studio-token", token);
  return true;
}

// Pages of the same address tell each other the token: one that was open before a restart goes on when a new one opens.
// They share one stream of events, for a browser has few connections to one address.
const pages = new BroadcastChannel("mcpc-studio");

export function begin() {
  token = sessionStorage.getItem("studio-token") ?? "";
  if (useToken(location.hash)) history.replaceState(null, "", location.pathname);
}

async function request(method, path, body, signal) {
  const headers = { authorization: `Bearer ${token}` };
  if (body !== undefined) headers["content-type"] = "application/json";
  const text = body === undefined || typeof body === "string" ? body : JSON.stringify(body);
  const answer = await fetch(path, { method, headers, body: text, signal, cache: "no-store" });
  const given = await answer.text();
  if (answer.ok) return given;
  let error = null;
  try {
    error = JSON.parse(given).error;
  } catch {
    // Not an answer of the studio: the status says enough.
  }
  throw new Refusal(answer.status, error);
}

export const get = async (path, signal) => JSON.parse(await request("GET", path, undefined, signal));
export const post = async (path, body, signal) => JSON.parse(await request("POST", path, body, signal));
export const put = async (path, body) => JSON.parse(await request("PUT", path, body));
export const remove = async (path) => JSON.parse(await request("DELETE", path));

const both = (text) => ({ data: JSON.parse(text), exact: parse(text) });

/** An answer twice: as it is easy to use, and with every number as it was written. */
export const getExact = async (path) => both(await request("GET", path));
export const postExact = async (path, body, signal) => both(await request("POST", path, body, signal));

/** A body with arguments that are JSON text already: they reach the server as they were typed. */
export function withArguments(text, others = {}) {
  const rest = Object.entries(others).filter(([, value]) => value !== undefined);
  return `{${[`"arguments":${text}`, ...rest.map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`)].join(",")}}`;
}

const part = encodeURIComponent;
export const toolPath = (name, act = "") => `/api/studio/tools/${part(name)}${act && `/${act}`}`;
export const serverPath = (id, act = "") => `/api/mcp/servers/${part(id)}${act && `/${act}`}`;

let retry = () => {};
/** Tries again at once, without waiting longer, in the page that reads the events. */
export function reconnect() {
  retry();
  for (const kind of ["again", "ask"]) pages.postMessage([kind]);
}

/**
 * Hears of events until the page is closed: one of all pages reads them and tells the others. `onstate` hears `open`,
 * `lost` and `refused`.
 */
export function listen(onevent, onstate) {
  // What a page that opens later has to know.
  const last = { state: null, hello: null };
  // The timers of a page in the background may be slow: then one that is seen asks it to try again.
  const nudge = calm(LONGEST_WAIT * 1.5, reconnect);
  const take = ([kind, name, data]) => {
    if (name === "lost") nudge();
    if (kind === "token") name !== token && useToken(name) && reconnect();
    else if (kind === "again") retry();
    else if (kind === "state") onstate(name);
    else if (kind === "event") onevent(name, data);
    else if (kind === "ask") for (const one of [last.state, last.hello]) if (one) pages.postMessage(one);
  };
  const tell = (...message) => {
    if (message[0] === "state") Object.assign(last, { state: message, hello: null });
    else if (message[1] === "hello") last.hello = message;
    else if (message[1] === "specs") Object.assign(last.hello[2], { generation: message[2].generation });
    pages.postMessage(message);
    take(message);
  };
  pages.addEventListener("message", ({ data }) => take(data));
  pages.postMessage(["ask"]);
  navigator.locks.request("mcpc-studio", () => lead(tell));
}

/** Reads events for all pages, for as long as this one is open. */
async function lead(tell) {
  let wait = FIRST_WAIT;
  for (;;) {
    try {
      const answer = await fetch("/api/studio/events", { headers: { authorization: `Bearer ${token}` }, cache: "no-store" });
      if (answer.status === 401) tell("state", "refused");
      else if (answer.ok) {
        wait = FIRST_WAIT;
        tell("state", "open");
        await read(answer.body, (name, data) => tell("event", name, data));
        tell("state", "lost");
      } else tell("state", "lost");
    } catch {
      tell("state", "lost");
    }
    await new Promise((resolve) => {
      retry = resolve;
      setTimeout(resolve, wait);
    });
    wait = Math.min(wait * 1.6, LONGEST_WAIT);
  }
}

async function read(body, onevent) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    rest += value;
    for (let end; (end = rest.indexOf("\n\n")) >= 0; rest = rest.slice(end + 2)) {
      let name = "message";
      let data = "";
      for (const line of rest.slice(0, end).split("\n")) {
        if (line.startsWith("event:")) name = line.slice(6).trim();
        else if (line.startsWith("data:")) data += line.slice(5).trim();
      }
      if (data) onevent(name, JSON.parse(data));
    }
  }
}

// One MCP server: test it, see what it offers against what was pinned, choose, try a tool, delete it.

import * as api from "../api.js";
import { button, dialog, fill, h, redraw, say } from "../dom.js";
import { formFor } from "../form/view.js";
import { duration, t } from "../i18n.js";
import { agree, reason, undo } from "../parts/edits.js";
import { resultView } from "../parts/result.js";
import { session } from "../session.js";
import { editServer, failure, tested } from "./add-server.js";

export function serverView({ detail, back }, id) {
  const head = h("div");
  const told = h("div.pad.told", { role: "status" });
  // Beside the buttons, where it moves nothing.
  const waiting = h("span.hint", { role: "status" });
  const offered = h("div.pad");
  let closed = false;
  let server = null;

  fill(detail, back(), head, told, offered);

  const draw = () => {
    const auth = server.authType === "none" ? null : h("span", { class: `badge ${server.hasApiKey || server.authType === "other" ? "" : "warning"}` }, t(server.hasApiKey || server.authType === "other" ? "server.key" : "server.nokey", { name: server.apiKeyVariable ?? "" }), ` (${t(`auth.${server.authType}`)})`);
    fill(head, h("header.head",
      h("h1", server.name || server.id),
      h("p.path", server.url ?? ""),
      h("div.facts-line",
        h("span.badge", h("span", { class: `dot ${server.status}` }), t(`status.${server.status}`)),
        h("span.badge", t(`transport.${server.transport}`)), auth,
        server.isPreset ? h("span.badge", t("server.preset", { name: server.presetType ?? "" })) : null,
        server.serverInfo ? h("span.badge", `${server.serverInfo.name} ${server.serverInfo.version ?? ""}`) : null,
        server.timeout ? h("span.badge", duration(server.timeout)) : null,
        server.file ? h("a.place", { href: `#/source/${encodeURIComponent(server.file)}` }, server.file) : null),
      server.apiKeyVariable && !server.hasApiKey ? h("p.note", t("server.nokey.do", { name: server.apiKeyVariable })) : null,
      server.status === "error" ? h("div.outcome.bad", failure(server.error)) : null,
      h("div.actions",
        button(t("server.test"), test), button(t("server.list"), list, { kind: "main" }),
        button(t("source.edit"), edit, { disabled: session.readOnly || !server.file }),
        button(t("server.delete"), confirmDelete, { kind: "quiet danger", disabled: session.readOnly }), waiting)));
  };

  const ask = async (act) => {
    fill(told);
    fill(waiting, t("server.connecting"));
    try {
      await act();
    } catch (error) {
      fill(told, h("div.outcome.bad", reason(error)));
    }
    fill(waiting);
  };
  const test = () => ask(async () => fill(told, tested(await api.post(api.serverPath(id, "test"), {}))));
  const list = () => ask(async () => {
    const given = await api.getExact(api.serverPath(id, "tools"));
    fill(offered, chooser(given.data, given.exact));
  });

  const edit = () => editServer(server, (next) => {
    server = next;
    if (!closed) draw();
  });

  const confirmDelete = () => dialog(t("server.delete.title", { name: server.name || id }), (close) => [h("p", t("server.delete.text", { file: server.file ?? "" })), h("div.actions", button(t("cancel"), close), button(t("server.delete"), async () => {
    close();
    try {
      const { edit } = await api.remove(api.serverPath(id));
      say(t("server.deleted", { name: server.name || id }), { act: { label: t("edit.undo"), run: () => undo(edit) } });
      location.hash = "#/servers";
    } catch (error) {
      fill(told, h("p.wrong", { role: "alert" }, reason(error)));
    }
  }, { kind: "main danger" }))]);

  /** The tools that the server lists, each to be chosen, with what is not as it was pinned. */
  const chooser = (given, exact) => {
    const enabled = new Set(given.tools.filter((one) => one.enabled).map((one) => one.name));
    const repin = new Set();
    const count = h("p.hint", { role: "status" });
    const save = button(t("edit.preview"), async () => {
      const made = await agree(t("server.choosing", { name: server.name || id }), (apply, hashes) => api.put(api.serverPath(id, "tools"), { tools: [...enabled], repin: [...repin], hash: hashes[server.file], apply }), session);
      if (made) list();
    }, { kind: "main", disabled: session.readOnly });
    const counted = () => { count.textContent = t("server.chosen", { n: enabled.size, all: given.tools.length }); };
    const all = button(t("server.all"), () => {
      const every = enabled.size === given.tools.length;
      for (const box of rows.querySelectorAll("input.choose")) if (box.checked === every) box.click();
    }, { kind: "quiet small" });
    const rows = h("ul.rows.choose", given.tools.map((one, index) => h("li", { class: one.state },
      h("label", h("input", { type: "checkbox", class: "choose", checked: one.enabled, onchange: (event) => {
        if (event.target.checked) enabled.add(one.name);
        else enabled.delete(one.name);
        counted();
      } }), h("span", h("span.row", h("span.code-name", one.name), h("span", { class: `badge ${one.state === "changed" ? "warning" : ""}` }, t(`pin.${one.state}`)), h("span.count", t("summary.tokens", { n: one.tokens ?? 0 }))),
        h("span.about", one.description ?? ""))),
      one.changes?.length ? h("div.changes", one.changes.map(change),
        h("label.repin", h("input", { type: "checkbox", onchange: (event) => {
          if (event.target.checked) repin.add(one.name);
          else repin.delete(one.name);
        } }), t("server.repin"))) : null,
      button(t("server.try"), () => tryTool(one, exact.get("tools")[index]), { kind: "small", "aria-label": `${t("server.try")}: ${one.name}` }))));
    counted();
    return [
      h("div.section-head", h("h2", t("server.offers")), count, all),
      rows,
      given.gone?.length ? h("section.note", h("h3", t("server.gone")), h("ul", given.gone.map((one) => h("li", h("code", one.name), one.tool ? ` (${one.tool})` : "")))) : null,
      given.unusable?.length ? h("section.note", h("h3", t("server.unusable")), h("ul", given.unusable.map((one) => h("li", h("code", one.name), " ", one.why)))) : null,
      h("div.actions.sticky", save),
    ];
  };

  const tryTool = (one, exact) => {
    const form = formFor(exact.get("inputSchema"));
    const answer = h("div.answer", { "aria-live": "polite" });
    const call = async (event) => {
      event.preventDefault();
      fill(answer, h("p.hint", t("answer.waiting")));
      try {
        const body = api.withArguments(form.form.text, { serverId: id, toolName: one.name });
        const { data: given, exact: all } = await api.postExact("/api/mcp/tools/call", body);
        fill(answer, h("div", { class: `outcome ${given.isError ? "bad" : "good"}` }, h("strong", t(given.isError ? "answer.failed" : "answer.ok")), " ", given.milliseconds === undefined ? "" : duration(given.milliseconds)), resultView(all));
      } catch (error) {
        fill(answer, h("div.outcome.bad", reason(error)));
      }
    };
    dialog(one.name, (close) => h("form", { onsubmit: call }, h("p.hint", one.description ?? ""), form, h("div.actions", button(t("close"), close), h("button.button.main", t("send"))), answer), { wide: true });
  };

  return {
    told(next) {
      if (closed) return;
      server = next;
      if (server) redraw(head, draw);
      else fill(head, h("p.wrong.pad", t("server.missing", { name: id })));
    },
    close() {
      closed = true;
    },
  };
}

/** One difference between what was pinned and what the server lists now. */
function change(one) {
  const words = (one.words ?? []).map(({ kind, text }) => (kind === "same" ? text : h(kind === "added" ? "ins" : "del", text)));
  return h("div.change", h("strong", one.part), words.length ? h("code", words) : null);
}

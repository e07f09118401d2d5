// What all views know of the server.

export const session = { known: false, start: "", mode: "specs", mock: false, readOnly: false, generation: 0, summary: null };

/** What was typed and not saved: texts of files by path, texts of tools by tool and key. */
export const drafts = { files: new Map(), texts: new Map() };

export const update = (members) => Object.assign(session, members);

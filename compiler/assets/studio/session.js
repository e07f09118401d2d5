// What all views know of the server.

export const session = { known: false, start: "", mode: "specs", mock: false, readOnly: false, generation: 0, summary: null };

export const update = (members) => Object.assign(session, members);

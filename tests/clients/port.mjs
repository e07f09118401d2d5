// Loaded before a server that does not say which port it got: prints it.
import { Server } from "node:net";

const listen = Server.prototype.listen;
Server.prototype.listen = function (...args) {
  this.once("listening", () => console.log(`port http://127.0.0.1:${this.address().port}`));
  return listen.apply(this, args);
};

"""The servers that bundles are shipped through, and a way to one on which downloads go wrong."""

import contextlib
import http.client
import http.server
import os
import socket
import subprocess
import threading
import time
import urllib.request

USER, PASSWORD = "edge", "registry-password"
# bcrypt of PASSWORD, the only kind that the registry accepts.
HTPASSWD = "edge:$2y$05$abcdefghijklmnopqrstuux7DVfxfgfXTmp/9Tsk6HzX2QQGjxePG\n"
LONGEST = 30


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for(what, condition):
    """The condition's first true value; it is asked often, and not for ever."""
    end = time.monotonic() + LONGEST
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(0.02)
    raise AssertionError(f"{what}: not within {LONGEST} seconds")


def wait_for_line(log, text):
    """The text in the log: a program may write that after its answer."""
    wait_for(f"{log.name} says {text!r}", lambda: text in log.read_text())


def listens(port):
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
        return True
    return False


class Server:
    """A program that listens, with its output in a file."""

    def __init__(self, work, name, command, port, environment=None):
        self.log = work / f"{name}.log"
        self.output = open(self.log, "ab")
        environment = {**os.environ, **(environment or {})}
        self.process = subprocess.Popen(command, stdout=self.output, stderr=self.output, env=environment)
        self.port = port
        wait_for(f"{name} listens", lambda: listens(port) or self.died(name))

    def died(self, name):
        if self.process.poll() is not None:
            raise AssertionError(f"{name} ended: {self.log.read_text()}")

    def stop(self):
        if self.process.poll() is None:
            self.process.terminate()
            self.process.wait(timeout=LONGEST)
        self.output.close()


def registry(place, port=None):
    port = port or free_port()
    (place.work / "htpasswd").write_text(HTPASSWD)
    (place.work / "registry.yml").write_text(
        f"version: 0.1\nstorage:\n  filesystem:\n    rootdirectory: {place.work}/registry\n"
        f"http:\n  addr: 127.0.0.1:{port}\nauth:\n  htpasswd:\n    realm: test\n    path: {place.work}/htpasswd\n"
        "log:\n  accesslog:\n    disabled: false\n"
    )
    command = [place.servers / "usr/bin/docker-registry", "serve", place.work / "registry.yml"]
    return Server(place.work, "registry", command, port)


def nginx(place):
    port, root = free_port(), place.folder("www")
    # As another user, it could not read what is here.
    user = "user root; " if os.geteuid() == 0 else ""
    (place.work / "nginx.conf").write_text(
        f"{user}daemon off; pid {place.work}/nginx.pid; error_log {place.work}/nginx.error; events {{}}\n"
        f"http {{ access_log {place.work}/nginx.access; client_body_temp_path {place.work}/nb; proxy_temp_path {place.work}/np;"
        f" fastcgi_temp_path {place.work}/nf; uwsgi_temp_path {place.work}/nu; scgi_temp_path {place.work}/ns;\n"
        f"server {{ listen 127.0.0.1:{port} ssl; ssl_certificate {place.work}/server.pem;"
        f" ssl_certificate_key {place.work}/server.key; root {root}; }} }}\n"
    )
    command = [place.servers / "usr/sbin/nginx", "-e", place.work / "nginx.error", "-c", place.work / "nginx.conf"]
    server = Server(place.work, "nginx", command, port)
    server.root = root
    return server


def moto(place):
    port = free_port()
    server = Server(place.work, "moto", [place.moto, "-H", "127.0.0.1", "-p", str(port)], port)
    make = urllib.request.Request(f"http://127.0.0.1:{port}/bundles", method="PUT")
    urllib.request.urlopen(make, timeout=LONGEST).close()
    server.environment = {
        "AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}",
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
    }
    return server


class Line:
    """A way to a server for an edge, on which downloads go wrong."""

    def __init__(self, port):
        line = self
        self.mode, self.waits, self.may_go_on = "good", threading.Event(), threading.Event()

        class Handler(http.server.BaseHTTPRequestHandler):
            def log_message(self, *_):
                pass

            def do_HEAD(self):
                self.do_GET()

            def do_GET(self):
                server = http.client.HTTPConnection("127.0.0.1", port, timeout=LONGEST)
                server.request(self.command, self.path, headers=dict(self.headers))
                answer = server.getresponse()
                body = answer.read()
                self.send_response(answer.status)
                for name, value in answer.getheaders():
                    if name.lower() not in ("date", "connection"):
                        self.send_header(name, value)
                self.end_headers()
                if self.command == "GET" and "/blobs/" in self.path and line.mode != "good":
                    body = line.spoilt(body)
                self.wfile.write(body)
                self.close_connection = True

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def spoilt(self, body):
        if self.mode == "cut":
            return body[: len(body) // 2]
        if self.mode == "lies":
            return body[:-1] + bytes([body[-1] ^ 1])
        self.waits.set()
        assert self.may_go_on.wait(LONGEST)
        return body

    def stop(self):
        self.may_go_on.set()
        self.server.shutdown()
        self.server.server_close()

"""Ships bundles through real servers, and breaks what can break. `run` starts it."""

import argparse
import itertools
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import urllib.error
import urllib.request

from servers import LONGEST, PASSWORD, USER, Line, moto, nginx, registry, wait_for, wait_for_line

SPEC = """
[[tool]]
name = "hello"
description = "Says hello, as {name}."
respond = "hello from {name}"
"""


class Edge:
    """An edge with a configuration, and its admin listener."""

    def __init__(self, place, folder, config, environment=None, expects_failure=False):
        self.place, self.folder = place, folder
        (folder / "edge.toml").write_text(config)
        self.log = folder / "edge.log"
        self.output = open(self.log, "wb")
        command = [place.edge, "--config", folder / "edge.toml", "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0"]
        environment = {**place.environment, **(environment or {})}
        self.process = subprocess.Popen(command, stdout=self.output, stderr=self.output, env=environment)
        place.running.append(self)
        if expects_failure:
            self.process.wait(timeout=LONGEST)
            return
        pattern = re.compile(r"^admin +(http://\S+)/$", re.M)
        self.admin = wait_for("the edge listens", lambda: self.found(pattern)).group(1)

    def found(self, pattern):
        if self.process.poll() is not None:
            raise AssertionError(f"the edge ended: {self.log.read_text()}")
        return pattern.search(self.log.read_text())

    def ask(self, path, method="GET"):
        request = urllib.request.Request(self.admin + path, method=method)
        try:
            with urllib.request.urlopen(request, timeout=LONGEST) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as answer:
            return answer.code, answer.read().decode()

    def status(self):
        return json.loads(self.ask("/status")[1])

    def reload(self):
        return self.ask("/reload", "POST")

    def stop(self):
        if self.process.poll() is None:
            self.process.terminate()
            self.process.wait(timeout=LONGEST)
        self.output.close()


class Place:
    """What all scenarios share: binaries, keys, bundles, certificates."""

    def __init__(self, arguments, work):
        self.mcpc, self.edge, self.work, self.running = arguments.mcpc, arguments.edge, work, []
        self.servers, self.moto = pathlib.Path(arguments.servers), arguments.moto
        # Nothing of the machine that runs this: no logins, no credentials of clouds.
        kept = ("PATH", "LD_LIBRARY_PATH", "NO_PROXY", "no_proxy", "LANG")
        self.environment = {name: os.environ[name] for name in kept if name in os.environ}
        self.environment |= {"HOME": str(work / "home")}
        (work / "home").mkdir()
        for name in ("good", "other"):
            self.run("keygen", "-o", work / name)
        self.key = (work / "good.pub").read_text().strip().splitlines()[-1].strip()
        self.bundles = {
            name: self.build(name, signer)
            for name, signer in (("one", "good"), ("two", "good"), ("forged", "other"))
        }
        self.certificates()

    def run(self, *arguments, fails=False, environment=None):
        environment = {**self.environment, **(environment or {})}
        done = subprocess.run([self.mcpc, *map(str, arguments)], capture_output=True, text=True, env=environment)
        assert (done.returncode != 0) == fails, f"mcpc {arguments}: {done.returncode} {done.stdout}{done.stderr}"
        return done.stderr if fails else done.stdout

    def build(self, name, signer):
        spec, bundle = self.work / f"{name}.toml", self.work / f"{name}.mcpk"
        spec.write_text(SPEC.format(name=name))
        self.run("build", spec, "-o", bundle, "--sign", self.work / signer)
        return bundle

    def revision(self, name):
        return re.search(r"^revision +(\S+)", self.run("verify", self.bundles[name]), re.M).group(1)

    def certificates(self):
        def openssl(*arguments):
            subprocess.run(["openssl", *map(str, arguments)], check=True, capture_output=True, cwd=self.work)

        openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
                "-subj", "/CN=test CA", "-keyout", "ca.key", "-out", "ca.pem")
        openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=localhost",
                "-keyout", "server.key", "-out", "server.csr")
        (self.work / "names").write_text("subjectAltName=DNS:localhost,IP:127.0.0.1\n")
        openssl("x509", "-req", "-in", "server.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial",
                "-days", "2", "-extfile", "names", "-out", "server.pem")

    def folder(self, name):
        folder = self.work / name
        folder.mkdir()
        return folder

    def config(self, url, more=""):
        return f'bundle = "{url}"\nbundle_copy = "copy.mcpk"\nkeys = ["{self.key}"]\npoll_seconds = 3600\n{more}\n'


def serves(edge, revision):
    active = edge.status()["active"]
    assert active and active["revision"] == revision, (active, revision)


# --- the scenarios -----------------------------------------------------------------------------------------------------


def through_a_registry(place):
    server = registry(place)
    place.running.append(server)
    url = f"oci://127.0.0.1:{server.port}/team/tools:prod"
    login = {"MCP_BUNDLE_USER": USER, "MCP_BUNDLE_PASSWORD": PASSWORD}
    one, two = place.revision("one"), place.revision("two")

    refused = place.run("push", place.bundles["one"], url, fails=True)
    assert "refuses the credentials (status 401)" in refused and "docker login" in refused, refused
    pushed = place.run("push", place.bundles["one"], url, environment=login)
    digest = re.search(r"^digest +(sha256:\w+)$", pushed, re.M).group(1)
    again = place.run("push", place.bundles["one"], url, environment=login)
    assert again.startswith("is there") and digest in again, again
    assert one in place.run("inspect", url, environment=login)
    assert "(trusted)" in place.run("verify", url, "--key", place.key, environment=login)

    # What `push` prints is what an edge needs.
    lines = pushed.split("edge.toml:\n\n")[1]
    folder = place.folder("of-registry")
    (folder / "secrets.env").write_text(f"MCP_BUNDLE_USER={USER}\nMCP_BUNDLE_PASSWORD={PASSWORD}\n")
    (folder / "secrets.env").chmod(0o600)
    config = f'{lines}\nsecrets = "secrets.env"\npoll_seconds = 3600\n'
    edge = Edge(place, folder, config)
    serves(edge, one)
    assert edge.status()["remote"]["digest"] == digest
    assert (folder / "tools.last-good.mcpk").read_bytes() == place.bundles["one"].read_bytes()

    # An unchanged tag is one small request. Each one has a line in the access log, once it is over.
    methods = re.compile(r'^127\.0\.0\.1 - .* \[.*\] "(\w+) ', re.M)

    def requests():
        return methods.findall(server.log.read_text())

    wait_for("the registry logs the download", lambda: requests()[-1:] == ["GET"])
    before = len(requests())
    assert edge.reload()[0] == 200
    wait_for("the registry logs the poll", lambda: len(requests()) > before)
    assert set(requests()[before:]) == {"HEAD"}, requests()[before:]

    # The tag moves, and back again.
    for name, revision in (("two", two), ("one", one)):
        place.run("push", place.bundles[name], url, environment=login)
        assert edge.reload()[0] == 200
        serves(edge, revision)

    # Somebody else's bundle is refused.
    place.run("push", place.bundles["forged"], url, environment=login)
    status, answer = edge.reload()
    assert status == 422 and "sign" in answer, answer
    serves(edge, one)
    place.run("push", place.bundles["two"], url, environment=login)
    assert edge.reload()[0] == 200
    serves(edge, two)

    # An artifact that is no bundle, by its digest.
    other = place.run("verify", url + "x", fails=True, environment=login)
    assert "is not there (status 404)" in other, other
    pinned = f"oci://127.0.0.1:{server.port}/team/tools@{digest}"
    assert one in place.run("inspect", pinned, environment=login)

    # The registry is away: what is served stays, and a start finds the copy.
    server.stop()
    assert edge.reload()[0] == 200
    status = edge.status()
    assert "nobody listens there" in status["remote"]["last_error"]["message"], status
    serves(edge, two)
    edge.stop()
    edge = Edge(place, folder, config)
    serves(edge, two)
    assert edge.status()["remote"]["from_copy"]
    wait_for_line(edge.log, "the copy of the last good bundle is served")
    place.running.append(registry(place, server.port))
    place.run("push", place.bundles["one"], url, environment=login)
    assert edge.reload()[0] == 200
    serves(edge, one)
    assert not edge.status()["remote"]["from_copy"]

    # Credentials that were changed at the registry, and then here.
    (folder / "secrets.env").write_text(f"MCP_BUNDLE_USER={USER}\nMCP_BUNDLE_PASSWORD=old\n")
    edge.stop()
    edge = Edge(place, folder, config)
    assert "refuses the credentials" in edge.status()["remote"]["last_error"]["message"]
    (folder / "secrets.env").write_text(f"MCP_BUNDLE_USER={USER}\nMCP_BUNDLE_PASSWORD={PASSWORD}\n")
    assert edge.reload()[0] == 200
    assert edge.status()["remote"]["last_error"] is None
    edge.stop()


def through_a_web_server(place):
    server = nginx(place)
    place.running.append(server)
    url = f"https://localhost:{server.port}/tools.mcpk"
    one, two = place.revision("one"), place.revision("two")

    times = itertools.count(1_700_000_000)

    def publish(name):
        shutil.copy(place.bundles[name], server.root / "new")
        # nginx makes the ETag of the time in seconds and the size.
        os.utime(server.root / "new", (0, next(times)))
        os.replace(server.root / "new", server.root / "tools.mcpk")

    publish("one")
    folder = place.folder("of-web")
    shutil.copy(place.work / "ca.pem", folder / "ca.pem")
    untrusted = Edge(place, folder, place.config(url), expects_failure=True)
    assert "UnknownIssuer" in untrusted.log.read_text(), untrusted.log.read_text()
    config = place.config(url, 'ca_file = "ca.pem"')
    edge = Edge(place, folder, config)
    serves(edge, one)
    assert edge.status()["remote"]["etag"]
    edge.reload()
    wait_for_line(place.work / "nginx.access", '"GET /tools.mcpk HTTP/1.1" 304 0 ')
    publish("two")
    assert edge.reload()[0] == 200
    serves(edge, two)
    publish("forged")
    assert edge.reload()[0] == 422
    serves(edge, two)
    publish("one")
    assert edge.reload()[0] == 200
    serves(edge, one)
    metrics = edge.ask("/metrics")[1]
    assert 'mcp_edge_source_polls_total{outcome="changed"} 4' in metrics, metrics
    edge.stop()

    # By itself, too.
    edge = Edge(place, place.folder("of-web-polled"), config.replace("3600", "1").replace("ca.pem", "../ca.pem"))
    publish("two")
    wait_for("the new bundle is served", lambda: edge.status()["active"]["revision"] == two)
    edge.stop()

    # Without keys, nothing behind a network is served.
    unsigned = Edge(place, place.folder("no-keys"), f'bundle = "{url}"\n', expects_failure=True)
    assert unsigned.process.returncode == 1 and "there is no key" in unsigned.log.read_text()


def through_a_bucket(place):
    server = moto(place)
    place.running.append(server)
    url = "s3://bundles/team/tools.mcpk"
    one, two = place.revision("one"), place.revision("two")
    missing = place.run("verify", url, fails=True, environment=server.environment)
    assert "is not there (status 404)" in missing, missing
    pushed = place.run("push", place.bundles["one"], url, environment=server.environment)
    assert pushed.startswith("pushed"), pushed
    again = place.run("push", place.bundles["one"], url, environment=server.environment)
    assert again.startswith("is there"), again
    edge = Edge(place, place.folder("of-bucket"), place.config(url), server.environment)
    serves(edge, one)
    edge.reload()
    assert edge.status()["remote"]["etag"]
    # The only request that it answers so.
    wait_for_line(server.log, " 304 -")
    place.run("push", place.bundles["two"], url, environment=server.environment)
    assert edge.reload()[0] == 200
    serves(edge, two)
    server.stop()
    assert edge.reload()[0] == 200
    serves(edge, two)
    assert "cannot be reached" in edge.status()["remote"]["last_error"]["message"]
    edge.stop()
    edge = Edge(place, place.work / "of-bucket", place.config(url), server.environment)
    serves(edge, two)
    edge.stop()


def over_a_bad_line(place):
    server = registry(place)
    place.running.append(server)
    line = Line(server.port)
    place.running.append(line)
    login = {"MCP_BUNDLE_USER": USER, "MCP_BUNDLE_PASSWORD": PASSWORD}
    one, two = place.revision("one"), place.revision("two")
    repository = "team/line:prod"
    place.run("push", place.bundles["one"], f"oci://127.0.0.1:{server.port}/{repository}", environment=login)
    folder = place.folder("of-line")
    secrets = folder / "secrets.env"
    secrets.touch(0o600)
    url = f"oci://127.0.0.1:{line.port}/{repository}"
    edge = Edge(place, folder, place.config(url, 'secrets = "secrets.env"'), login)
    serves(edge, one)

    place.run("push", place.bundles["two"], f"oci://127.0.0.1:{server.port}/{repository}", environment=login)
    for mode, problem in (("cut", "broke off"), ("lies", "its digest is")):
        line.mode = mode
        assert edge.reload()[0] == 200
        error = edge.status()["remote"]["last_error"]["message"]
        assert problem in error, error
        serves(edge, one)

    # While a download hangs, everything else goes on.
    line.mode = "slow"
    answers = []
    reload = threading.Thread(target=lambda: answers.append(edge.reload()))
    reload.start()
    assert line.waits.wait(LONGEST)
    activated = lambda: edge.log.read_text().count("bundle activated")
    before = activated()
    secrets.write_text("A=1\n")
    wait_for("the secrets are taken over", lambda: activated() > before)
    serves(edge, one)
    assert not answers, answers
    line.may_go_on.set()
    reload.join()
    assert answers[0][0] == 200, answers
    serves(edge, two)
    assert edge.status()["remote"]["last_error"] is None
    edge.stop()


def with_a_full_disk(place):
    disk = place.folder("disk")
    mount = ["mount", "-t", "tmpfs", "-o", "size=4k", "tmpfs", str(disk)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True).returncode != 0:
        print("   skipped: only root can mount a file system that is full")
        return
    try:
        server = nginx_of(place, "one")
        (disk / "filler").write_bytes(b"x" * 4096)
        url = f"https://localhost:{server.port}/tools.mcpk"
        config = place.config(url, f'ca_file = "{place.work}/ca.pem"').replace("copy.mcpk", f"{disk}/copy.mcpk")
        edge = Edge(place, place.folder("full"), config)
        serves(edge, place.revision("one"))
        assert "No space left" in edge.status()["remote"]["copy_error"], edge.status()
        assert "mcp_edge_source_copy_failing 1" in edge.ask("/metrics")[1]
        assert [path.name for path in disk.iterdir()] == ["filler"], "no half copy is left"
        edge.stop()
    finally:
        subprocess.run(["umount", str(disk)], check=True)


def nginx_of(place, name):
    server = next((server for server in place.running if getattr(server, "root", None)), None)
    if server is None:
        server = nginx(place)
        place.running.append(server)
    shutil.copy(place.bundles[name], server.root / "tools.mcpk")
    return server


SCENARIOS = [through_a_registry, over_a_bad_line, through_a_web_server, through_a_bucket, with_a_full_disk]


def measure(place, polls):
    """What a poll of an unchanged bundle costs, over each kind of source."""
    servers = [registry(place), nginx(place), moto(place)]
    place.running.extend(servers)
    login = {"MCP_BUNDLE_USER": USER, "MCP_BUNDLE_PASSWORD": PASSWORD}
    environment = {**login, **servers[2].environment, "SSL_CERT_FILE": str(place.work / "ca.pem")}
    shutil.copy(place.bundles["one"], servers[1].root / "tools.mcpk")
    oci = f"oci://127.0.0.1:{servers[0].port}/team/tools:prod"
    for url in (oci, "s3://bundles/tools.mcpk"):
        place.run("push", place.bundles["one"], url, environment=environment)
    web = f"https://localhost:{servers[1].port}/tools.mcpk"
    command = [polls, web, oci, "s3://bundles/tools.mcpk"]
    subprocess.run(command, check=True, env={**place.environment, **environment})


def main():
    parser = argparse.ArgumentParser()
    for name in ("mcpc", "edge", "servers", "moto"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--polls", help="measure with this program instead")
    parser.add_argument("--only", help="only scenarios with this in their names")
    arguments = parser.parse_args()
    failed = []
    with tempfile.TemporaryDirectory() as folder:
        place = Place(arguments, pathlib.Path(folder))
        try:
            if arguments.polls:
                return measure(place, arguments.polls)
            for scenario in SCENARIOS:
                name = scenario.__name__.replace("_", " ")
                if arguments.only and arguments.only not in name:
                    continue
                print(f"-- {name}", flush=True)
                try:
                    scenario(place)
                except AssertionError as error:
                    failed.append(name)
                    line = sys.exc_info()[2].tb_next.tb_lineno
                    print(f"   FAILED in line {line}: {error}")
        finally:
            for running in place.running:
                running.stop()
    if failed:
        sys.exit(f"FAILED: {', '.join(failed)}")
    print("all sources passed")


main()

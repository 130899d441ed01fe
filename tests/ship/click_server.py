#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""click_server.py FOLDER - stands for a ClickHouse server.

It writes its port to FOLDER/port and a line to FOLDER/log for each request:
its kind, the user, and of an insert its token and how many rows it has.  Rows
that it has stored are in FOLDER/rows, in the order of their coming.  It knows
the settings and the table in FOLDER/has, and does at each insert what the word
in FOLDER/mode says:

	ok      store and answer
	500     answer with an error as a server of 18 words it
	new     the same as a server of 24 words it
	denied  refuse the user, at any request
	midway  close after half of the body
	lost    store, then close without an answer
	html    answer 200 with a page, as a wrong port does, at any request
	slow    store, and answer after two seconds
	hang    never answer

With FOLDER/cert.pem and FOLDER/key.pem it talks TLS.
"""
import base64
import os
import ssl
import sys
import time
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

folder = sys.argv[1]


def read(name):
    try:
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            return file.read().strip()
    except FileNotFoundError:
        return ""


def append(name, data):
    with open(os.path.join(folder, name), "ab") as file:
        file.write(data)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, status, text):
        data = text.encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def user(self):
        words = self.headers.get("Authorization", "").split()
        return base64.b64decode(words[1]).decode() if words else "-"

    def do_POST(self):
        mode = read("mode") or "ok"
        query = urllib.parse.parse_qs(urllib.parse.urlsplit(self.path).query)
        sql = query.get("query", [""])[0]
        size = int(self.headers["Content-Length"])
        if sql and mode == "midway":
            self.rfile.read(size // 2)
            append("log", b"insert cut\n")
            self.close_connection = True
            return
        body = self.rfile.read(size)
        kind = "insert" if sql else body.decode().split()[0].lower()
        if kind == "create":
            kind += " " + body.decode().split()[1].lower()
        if sql:
            rows = body.count(b"\n")
            token = query.get("insert_deduplication_token", ["-"])[0]
            append("log", f"{kind} {self.user()} {token} {rows}\n".encode())
            append("sql", sql.encode() + b"\n")
        else:
            append("log", f"{kind} {self.user()}\n".encode())
            append("sql", body + b"\n")
        if mode == "denied":
            self.answer(403, "Code: 516. DB::Exception: web1: Authentication "
                        "failed: password is incorrect. (AUTHENTICATION_FAILED)"
                        " (version 24.8.1)\nsecond line")
        elif mode == "html":
            self.answer(200, "<html>\n<title>router</title>\n")
        elif not sql:
            self.answer(200, "timeline\n" + read("has") + "\n"
                        if kind == "select" else "")
        elif mode == "500":
            self.answer(500, "Code: 81, e.displayText() = DB::Exception: "
                        "Database x doesn't exist, e.what() = DB::Exception\n")
        elif mode == "new":
            self.answer(500, "Code: 252. DB::Exception: Too many parts (3000)"
                        + " in table" * 20 + ". (TOO_MANY_PARTS)\n")
        elif mode == "hang":
            time.sleep(600)
        else:
            append("rows", body)
            if mode == "lost":
                self.close_connection = True
                return
            time.sleep(2 if mode == "slow" else 0)
            self.answer(200, "")


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
server.daemon_threads = True
if os.path.exists(os.path.join(folder, "cert.pem")):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(os.path.join(folder, "cert.pem"),
                            os.path.join(folder, "key.pem"))
    server.socket = context.wrap_socket(server.socket, server_side=True)
with open(os.path.join(folder, "port.new"), "w", encoding="utf-8") as file:
    file.write(str(server.server_port))
os.rename(os.path.join(folder, "port.new"), os.path.join(folder, "port"))
server.serve_forever()

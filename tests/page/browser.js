/* SPDX-License-Identifier: Apache-2.0 */
/*
 * browser.js - drives a headless Chromium through two pipes: JSON frames of the
 * DevTools protocol, each ended by a NUL.
 */
"use strict";
const {spawn} = require("child_process");
const fs = require("fs");
const os = require("os");
const path = require("path");

const WAIT_MAX = 120000; /* ms: generous, for machines under load */

class Page {
	constructor(browser, session) {
		this.browser = browser;
		this.session = session;
		this.errors = []; /* console errors and exceptions */
		this.requests = []; /* addresses */
	}

	send(method, params) {
		return this.browser.send(method, params, this.session);
	}

	take({method, params}) {
		if (method === "Runtime.exceptionThrown")
			this.errors.push(params.exceptionDetails.text + " " +
				(params.exceptionDetails.exception
					?.description ?? ""));
		else if (method === "Runtime.consoleAPICalled" &&
		    /error|warning|assert/.test(params.type) &&
		    !/willReadFrequently/.test(params.args[0]?.value))
			this.errors.push(params.args.map((a) => a.value)
				.join(" "));
		else if (method === "Log.entryAdded" &&
		    /error|warning/.test(params.entry.level) &&
		    /* only the tests read the picture back */
		    !/willReadFrequently/.test(params.entry.text))
			this.errors.push(params.entry.text + " " +
				(params.entry.url ?? ""));
		else if (method === "Network.requestWillBeSent")
			this.requests.push(params.request.url);
	}

	async run(expression) {
		const r = await this.send("Runtime.evaluate", {expression,
			returnByValue: true, awaitPromise: true});
		if (r.exceptionDetails)
			throw new Error(expression + ": " + r.exceptionDetails
				.exception?.description);
		return r.result.value;
	}

	/* until waits until an expression is true. */
	async until(expression) {
		const end = Date.now() + WAIT_MAX;
		while (!await this.run(expression)) {
			if (Date.now() > end)
				throw new Error("never true: " + expression +
					": " + await this.state());
			await new Promise((r) => setTimeout(r, 20));
		}
	}

	/* state describes the page for the message of a failed test. */
	async state() {
		return JSON.stringify([await this.run("[location.href, " +
			"document.readyState, document.hidden, " +
			"document.body.innerText.slice(0, 300)]"), this.errors]);
	}

	async open(url) {
		await this.send("Page.navigate", {url});
		await this.until("document.readyState === 'complete' && " +
			"window.timeline !== undefined");
	}

	async ready() {
		await this.until("timeline.ready");
	}

	mouse(type, x, y, more) {
		return this.send("Input.dispatchMouseEvent", {type, x, y,
			button: "none", ...more});
	}

	async click(x, y, count = 1) {
		await this.mouse("mouseMoved", x, y);
		for (let clickCount = 1; clickCount <= count; clickCount++)
			for (const type of ["mousePressed", "mouseReleased"])
				await this.mouse(type, x, y, {button: "left",
					buttons: 1, clickCount});
	}

	async drag(x0, y0, x1, y1, modifiers = 0) {
		const held = {button: "left", buttons: 1, modifiers};
		await this.mouse("mousePressed", x0, y0, {...held,
			clickCount: 1});
		await this.mouse("mouseMoved", (x0 + x1) / 2, (y0 + y1) / 2,
			held);
		await this.mouse("mouseMoved", x1, y1, held);
		await this.mouse("mouseReleased", x1, y1, {...held,
			clickCount: 1});
	}

	async key(key, text = key.length === 1 ? key : undefined) {
		await this.send("Input.dispatchKeyEvent",
			{type: text ? "keyDown" : "rawKeyDown", key, text});
		await this.send("Input.dispatchKeyEvent",
			{type: "keyUp", key});
	}

	async picture(file) {
		const {data} = await this.send("Page.captureScreenshot");
		fs.writeFileSync(file, Buffer.from(data, "base64"));
	}

	dark(on) {
		return this.send("Emulation.setEmulatedMedia", {features: [
			{name: "prefers-color-scheme",
			 value: on ? "dark" : "light"}]});
	}
}

class Browser {
	constructor(program) {
		this.folder = fs.mkdtempSync(path.join(os.tmpdir(),
			"timeline-page-"));
		this.child = spawn(program, ["--headless", "--no-sandbox",
			"--disable-gpu", "--disable-dev-shm-usage",
			"--no-first-run", "--disable-extensions",
			"--disable-background-networking",
			"--disable-component-update", "--hide-scrollbars",
			"--remote-debugging-pipe", "--user-data-dir=" +
			this.folder, "--window-size=1400,900", "about:blank"],
		{stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"]});
		this.waiting = new Map();
		this.pages = new Map();
		this.number = 0;
		let rest = Buffer.alloc(0);
		this.child.stdio[4].on("data", (data) => {
			rest = Buffer.concat([rest, data]);
			for (let at; (at = rest.indexOf(0)) >= 0;) {
				this.take(JSON.parse(rest.subarray(0, at)));
				rest = rest.subarray(at + 1);
			}
		});
		this.child.stdio[3].on("error", () => {});
		process.on("exit", () => this.kill());
	}

	take(frame) {
		const waiting = this.waiting.get(frame.id);
		if (waiting) {
			this.waiting.delete(frame.id);
			clearTimeout(waiting.timer);
			if (frame.error)
				waiting.no(new Error(frame.error.message));
			else
				waiting.yes(frame.result);
		} else if (frame.sessionId) {
			this.pages.get(frame.sessionId)?.take(frame);
		}
	}

	send(method, params = {}, sessionId = undefined) {
		const id = ++this.number;
		this.child.stdio[3].write(JSON.stringify({id, method, params,
			sessionId}) + "\0");
		return new Promise((yes, no) => {
			const timer = setTimeout(() => no(new Error(
				"never answered: " + method + " " +
				JSON.stringify(params))), WAIT_MAX).unref();
			this.waiting.set(id, {yes, no, timer});
		});
	}

	async page() {
		const {targetId} = await this.send("Target.createTarget",
			{url: "about:blank"});
		const {sessionId} = await this.send("Target.attachToTarget",
			{targetId, flatten: true});
		const page = new Page(this, sessionId);
		this.pages.set(sessionId, page);
		for (const domain of ["Page", "Runtime", "Log", "Network"])
			await page.send(domain + ".enable");
		await page.send("Emulation.setDeviceMetricsOverride",
			{width: 1400, height: 900, deviceScaleFactor: 1,
			 mobile: false});
		return page;
	}

	kill() {
		this.child.kill("SIGKILL");
		/* Other processes of Chromium may still write for a moment. */
		fs.rmSync(this.folder, {recursive: true, force: true,
			maxRetries: 10, retryDelay: 100});
	}

	async close() {
		const gone = new Promise((r) => this.child.on("exit", r));
		this.send("Browser.close").catch(() => {});
		await Promise.race([gone,
			new Promise((r) => setTimeout(r, 5000))]);
		this.kill();
	}
}

module.exports = {Browser};

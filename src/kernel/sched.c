/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sched.c - the second timeline: events of the kernel become its entries.
 *
 * event/sched.h has the texts of the messages.  analysis/states.c finds the
 * messages by their texts, so a changed text changes both sides.
 */
#include "event/sched.h"
#include "base/array.h"
#include "base/file.h"
#include "base/table.h"
#include "base/word.h"
#include "kernel/kernel.h"
#include "ring/ring.h"
#include "snap/shm.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

enum {
	ENTRIES_DEFAULT = 1 << 18,
	NAMES = 256, /* slots of the cache of names */
	SOFTIRQS = 10,
	DEVICES = 256, /* interrupts with a cached text */
	VECTORS = TL_VECTOR_CALL + 1,
	KERNEL_THREAD = 0x00200000 /* PF_KTHREAD */
};

enum message { OUT, IN, WOKEN, INTERRUPT, FAULT, LOST, MESSAGES };

struct thread {
	uint32_t global; /* number in the first pid namespace */
	uint32_t tid;
	uint32_t pid;
	bool ours;
	bool shown;    /* its name may be shown */
	uint64_t name; /* number of the string; 0: not read */
};

struct tl_sched {
	struct timeline *tl;
	char path[TL_PATH_MAX]; /* of the timeline */
	dev_t device;           /* of the timeline's file */
	ino_t inode;
	uint64_t pidns; /* of the timeline; 0: unknown */
	bool names;
	bool temporary;
	uint32_t messages[MESSAGES];
	uint64_t *last; /* stamp of each CPU's last event */
	struct tl_table table;
	struct thread *threads;
	size_t thread_count, thread_capacity;
	struct {
		char text[TL_KERNEL_NAME_MAX + 1];
		uint64_t number;
	} cache[NAMES];
	uint64_t idle, another, contexts[3];
	uint64_t vectors[VECTORS], softirqs[SOFTIRQS], devices[DEVICES];
	struct tl_sched_counts counts;
};

/* == names == */

static uint64_t
string(struct tl_sched *s, const char *text)
{
	uint64_t number = 0;

	(void)timeline_string(s->tl, text, &number);
	return number;
}

static uint64_t
name_number(struct tl_sched *s, const char *text)
{
	const size_t i = tl_hash_bytes(tl_bytes_of(text)) & (NAMES - 1);

	if (strcmp(s->cache[i].text, text) != 0 || s->cache[i].number == 0) {
		snprintf(s->cache[i].text, sizeof(s->cache[i].text), "%s",
		    text);
		s->cache[i].number = string(s, s->cache[i].text);
	}
	return s->cache[i].number;
}

/* The last number on the line of a key: the number in the innermost
 * namespace. */
static uint32_t
innermost(const char *status, const char *key)
{
	const char *line = strstr(status, key);
	uint32_t number = 0;

	if (!line)
		return 0;
	line += strlen(key);
	while (*line == '\t' || *line == ' ')
		number = (uint32_t)strtoul(line, (char **)(uintptr_t)&line, 10);
	return number;
}

/* == threads == */

static struct thread *
find(struct tl_sched *s, uint32_t global)
{
	struct tl_probe probe =
	    tl_table_probe(&s->table, tl_hash_number(global));
	uint32_t place;

	while (tl_probe_next(&probe, &place))
		if (s->threads[place].global == global)
			return &s->threads[place];
	return NULL;
}

static struct thread *
add(struct tl_sched *s, uint32_t global)
{
	struct thread *t = find(s, global);

	if (t)
		return t;
	if (TL_ARRAY_ROOM(s->threads, s->thread_capacity, s->thread_count) <
		0 ||
	    tl_table_add(&s->table, tl_hash_number(global), s->thread_count) <
		0)
		return NULL;
	t = &s->threads[s->thread_count++];
	*t = (struct thread){ .global = global, .tid = global };
	return t;
}

/* Look up another task.  The name of a kernel thread is shown; the names of
 * other tasks only if asked for. */
static struct thread *
look_up(struct tl_sched *s, uint32_t global)
{
	struct thread *t = find(s, global);
	char text[512];
	unsigned flags = 0;
	const char *after;

	if (t || !(t = add(s, global)))
		return t;
	if (tl_read_start(text, sizeof(text), "/proc/%u/stat", global) &&
	    (after = strrchr(text, ')')) != NULL)
		(void)sscanf(after + 1, " %*c %*d %*d %*d %*d %*d %u", &flags);
	t->shown = s->names || (flags & KERNEL_THREAD) != 0;
	return t;
}

/* The name of a task, if it may be shown; comm is empty if it is unknown. */
static uint64_t
shown_name(struct tl_sched *s, uint32_t global, const char *comm)
{
	char text[TL_KERNEL_NAME_MAX + 1];
	struct thread *t;

	if (global == 0)
		return s->idle;
	t = look_up(s, global);
	if (!t || !(t->ours || t->shown))
		return s->another;
	if (comm[0])
		return t->name = name_number(s, comm);
	if (t->name == 0) {
		tl_read_start(text, sizeof(text), "/proc/%u/comm", global);
		text[strcspn(text, "\n")] = '\0';
		t->name = text[0] ? name_number(s, text) : s->another;
	}
	return t->name;
}

/* The number of a task in its own namespace.  Only threads of the timeline have
 * a known number there; other tasks keep their global number. */
static uint32_t
number_of(const struct tl_sched *s, uint32_t global)
{
	const struct thread *t = find((struct tl_sched *)(uintptr_t)s, global);

	return t ? t->tid : global;
}

/* Add a thread of the timeline: global is its number in the first pid
 * namespace, tid its number in its own. */
static int
add_thread(struct tl_sched *s, uint32_t global, uint32_t tid, uint32_t pid)
{
	struct thread *t = add(s, global);

	if (!t)
		return -ENOMEM;
	s->counts.threads += !t->ours;
	t->tid = tid;
	t->pid = pid;
	t->ours = true;
	return 0;
}

/* Does the process have the timeline mapped? */
static bool
is_mapped(const struct tl_sched *s, uint32_t pid)
{
	char path[48], line[512];
	unsigned long inode;
	unsigned major_, minor_;
	bool found = false;
	FILE *maps;

	snprintf(path, sizeof(path), "/proc/%u/maps", pid);
	if (!(maps = fopen(path, "re")))
		return false;
	while (!found && fgets(line, sizeof(line), maps))
		found = sscanf(line, "%*s %*s %*s %x:%x %lu", &major_, &minor_,
			    &inode) == 3 &&
			inode == s->inode &&
			makedev(major_, minor_) == s->device;
	fclose(maps);
	return found;
}

int
tl_sched_add_process(struct tl_sched *s, uint32_t pid,
    const struct tl_kernel *kernel)
{
	char path[80], status[4096];
	struct dirent *entry;
	int count = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%u/task", pid);
	if (!(dir = opendir(path)))
		return 0;
	while (count >= 0 && (entry = readdir(dir))) {
		const uint32_t global =
		    (uint32_t)strtoul(entry->d_name, NULL, 10);
		const struct thread *t = global ? find(s, global) : NULL;
		uint32_t tid;
		int rc;

		if (global == 0 || (t && t->ours))
			continue;
		if (!tl_read_start(status, sizeof(status),
			"/proc/%u/task/%u/status", pid, global))
			continue;
		tid = innermost(status, "\nNSpid:");
		rc = add_thread(s, global, tid ? tid : global,
		    innermost(status, "\nNStgid:"));
		if (rc == 0)
			rc = tl_kernel_add_thread(kernel, global);
		count = rc < 0 ? rc : count + 1;
	}
	closedir(dir);
	return count;
}

int
tl_sched_find_threads(struct tl_sched *s, const struct tl_kernel *kernel)
{
	DIR *dir = opendir("/proc");
	struct dirent *entry;
	struct stat st;
	char path[48];
	int count = 0;

	if (!dir)
		return -errno;
	while (count >= 0 && (entry = readdir(dir))) {
		const uint32_t pid = (uint32_t)strtoul(entry->d_name, NULL, 10);

		if (pid == 0 || pid == (uint32_t)getpid() || !is_mapped(s, pid))
			continue;
		/* A tool of another PID namespace that has the timeline mapped
		 * is not recorded. */
		snprintf(path, sizeof(path), "/proc/%u/ns/pid", pid);
		if (s->pidns == 0 || stat(path, &st) != 0 ||
		    st.st_ino == s->pidns) {
			const int rc = tl_sched_add_process(s, pid, kernel);

			count = rc < 0 ? rc : count + rc;
		}
	}
	closedir(dir);
	tl_sched_visit(s);
	return count;
}

void
tl_sched_visit(struct tl_sched *s)
{
	tl_clock_visit(s->tl);
}

/* == entries == */

/* Append an entry.  Only this process appends, so the order of log.S is enough:
 * odd stamp, words, even stamp, head. */
static void
append(struct tl_sched *s, uint32_t cpu, uint64_t stamp,
    const struct thread *thread, uint32_t message, const uint64_t args[4])
{
	static const uint64_t none[4];
	const struct timeline_header *h = &s->tl->geometry;
	uint64_t *head =
	    (uint64_t *)(void *)(s->tl->map + timeline_head_offset(h, cpu));
	const uint64_t q = tl_load_64(head);
	struct timeline_entry *e =
	    (void *)(s->tl->map + timeline_entry_offset(h, cpu, q));

	tl_store_64(&e->stamp, timeline_stamp_writing(q));
	/* A reader expects each word after the odd stamp. */
	tl_store_release_64(&e->tsc, stamp);
	tl_store_release_32(&e->tid, thread ? thread->tid : 0);
	tl_store_release_32(&e->pid, thread ? thread->pid : 0);
	tl_store_release_32(&e->message, message);
	tl_store_release_32(&e->cpu, 0);
	for (unsigned i = 0; i < 4; i++)
		tl_store_release_64(&e->args[i], (args ? args : none)[i]);
	tl_store_release_64(&e->stamp, timeline_stamp_whole(q));
	tl_store_release_64(head, q + 1);
	s->counts.events++;
}

static void
put_switch(struct tl_sched *s, uint32_t cpu, const struct tl_kernel_event *e)
{
	const struct thread *prev = find(s, e->tid);
	const struct thread *next;
	char text[12];

	if (prev && prev->ours) {
		const uint64_t args[4] = {
			string(s, tl_kernel_state(e->state, text)),
			number_of(s, e->next), shown_name(s, e->next, e->name)
		};

		prev = find(s, e->tid); /* the array may have moved */
		append(s, cpu, e->stamp, prev, s->messages[OUT], args);
	}
	next = find(s, e->next);
	if (next && next->ours)
		append(s, cpu, e->stamp, next, s->messages[IN], NULL);
}

static void
put_waking(struct tl_sched *s, uint32_t cpu, const struct tl_kernel_event *e)
{
	const struct thread *by = find(s, e->current);
	const unsigned context = e->flags & TL_KERNEL_HARDIRQ   ? 1
				 : e->flags & TL_KERNEL_SOFTIRQ ? 2
								: 0;
	const struct thread *t = find(s, e->tid);
	uint64_t args[4] = { 0 };

	/* event-fork follows threads that our threads create; so do we */
	if (e->kind == TL_KERNEL_NEW && !(t && t->ours) && by && by->ours) {
		if (add_thread(s, e->tid, e->tid, by->pid) != 0)
			return;
		t = find(s, e->tid);
	}
	if (!t || !t->ours)
		return;
	args[0] = number_of(s, e->current);
	args[1] = shown_name(s, e->current, "");
	args[2] = s->contexts[context];
	append(s, cpu, e->stamp, find(s, e->tid), s->messages[WOKEN], args);
}

static uint64_t
vector_name(struct tl_sched *s, const struct tl_kernel_event *e)
{
	char text[32];

	if (e->vector == TL_VECTOR_SOFTIRQ)
		return e->tid < SOFTIRQS ? s->softirqs[e->tid] : s->vectors[1];
	if (e->vector != TL_VECTOR_DEVICE)
		return s->vectors[e->vector];
	if (e->tid < DEVICES && s->devices[e->tid] != 0)
		return s->devices[e->tid];
	snprintf(text, sizeof(text), "irq %u", e->tid);
	if (e->tid >= DEVICES)
		return string(s, text);
	return s->devices[e->tid] = string(s, text);
}

void
tl_sched_put(struct tl_sched *s, uint32_t cpu, const struct tl_kernel_event *e)
{
	const struct thread *current = find(s, e->current);
	uint64_t args[4] = { 0 };

	if (cpu >= s->tl->geometry.cpu_lanes)
		return;
	s->last[cpu] = e->stamp;
	switch (e->kind) {
	case TL_KERNEL_SWITCH:
		put_switch(s, cpu, e);
		return;
	case TL_KERNEL_WAKING:
	case TL_KERNEL_NEW:
		put_waking(s, cpu, e);
		return;
	}
	if (!current || !current->ours)
		return;
	args[0] = e->kind == TL_KERNEL_FAULT ? e->state : vector_name(s, e);
	append(s, cpu, e->stamp, current,
	    e->kind == TL_KERNEL_FAULT ? s->messages[FAULT]
	    : e->kind == TL_KERNEL_ENTRY
		? s->messages[INTERRUPT]
		: s->messages[INTERRUPT] | TIMELINE_MESSAGE_END,
	    args);
}

void
tl_sched_put_lost(struct tl_sched *s, uint32_t cpu, uint64_t n)
{
	const uint64_t args[4] = { n };

	if (n == 0 || cpu >= s->tl->geometry.cpu_lanes)
		return;
	s->counts.lost += n;
	append(s, cpu, s->last[cpu], NULL, s->messages[LOST], args);
}

struct tl_sched_counts
tl_sched_counts(const struct tl_sched *s)
{
	return s->counts;
}

/* == the file == */

static int
define(struct tl_sched *s)
{
	static const struct {
		const char *text;
		int kind;
	} messages[] = {
		[OUT] = { TL_SCHED_OUT, TIMELINE_INSTANT },
		[IN] = { TL_SCHED_IN, TIMELINE_INSTANT },
		[WOKEN] = { TL_SCHED_WOKEN, TIMELINE_INSTANT },
		[INTERRUPT] = { TL_SCHED_INTERRUPT, TIMELINE_SPAN },
		[FAULT] = { TL_SCHED_FAULT, TIMELINE_INSTANT },
	};
	static const char *const vectors[VECTORS] = { "device", "softirq",
		"timer", "reschedule", "call" };
	static const char *const softirqs[SOFTIRQS] = { "softirq hi",
		"softirq timer", "softirq net_tx", "softirq net_rx",
		"softirq block", "softirq irq_poll", "softirq tasklet",
		"softirq sched", "softirq hrtimer", "softirq rcu" };
	static const char *const contexts[] = { TL_SCHED_TASK, "interrupt",
		"softirq" };
	struct timeline_event *event;
	int rc;

	for (unsigned i = 0; i < LOST; i++) {
		rc = timeline_define_at(s->tl, TL_SCHED_CATEGORY, "debug",
		    messages[i].text, messages[i].kind, TIMELINE_THREAD, NULL,
		    0, &event);
		if (rc != 0)
			return rc;
		s->messages[i] = event->message;
	}
	if ((rc = tl_define_lost(s->tl, &event)) != 0)
		return rc;
	s->messages[LOST] = event->message;
	s->idle = string(s, "idle");
	s->another = string(s, "another");
	for (unsigned i = 0; i < 3; i++)
		s->contexts[i] = string(s, contexts[i]);
	for (unsigned i = 0; i < VECTORS; i++)
		s->vectors[i] = string(s, vectors[i]);
	for (unsigned i = 0; i < SOFTIRQS; i++)
		s->softirqs[i] = string(s, softirqs[i]);
	return 0;
}

/* Read the header of the timeline, which must have stamps of the TSC. */
static int
read_timeline(struct tl_sched *s, const char *path,
    struct timeline_header *header, struct stat *st, struct tl_fault *fault)
{
	const int fd = tl_open_read(path);
	int rc = 0;

	if (fd < 0)
		return tl_fail(fault, fd, "%s", strerror(-fd));
	if (fstat(fd, st) != 0 || !tl_is_timeline(fd) ||
	    tl_read_at(fd, header, sizeof(*header), 0) !=
		(int64_t)sizeof(*header) ||
	    header->state != TIMELINE_LIVE)
		rc = tl_fail(fault, -EBADMSG, "not a live timeline");
	else if (header->clock_kind != TIMELINE_CLOCK_TSC)
		rc = tl_fail(fault, -ENOTSUP,
		    "its stamps are not those of the TSC, so the kernel's "
		    "events cannot be merged with it");
	s->device = st->st_dev;
	s->inode = st->st_ino;
	s->pidns = header->pidns_inode;
	close(fd);
	return rc;
}

/* Is another process writing the file? */
static bool
is_written(const char *path)
{
	const int fd = tl_open_read(path);
	bool written = false;

	if (fd >= 0) {
		written = flock(fd, LOCK_EX | LOCK_NB) != 0;
		close(fd);
	}
	return written;
}

/* Make the file under another name, and rename it when no other process can
 * attach. */
static int
make(struct tl_sched *s, const char *path, uint32_t cpus, uint64_t entries,
    const struct timeline_header *of, const struct stat *st,
    struct tl_fault *fault)
{
	const struct timeline_options options = { .entries = entries,
		.cpu_lanes = cpus,
		.fallback_lanes = 1,
		.tiers = 1,
		.mode = st->st_mode & 0777,
		.stamp = TIMELINE_STAMP_TSC };
	char sched[TL_PATH_MAX], aside[TL_PATH_MAX];
	struct timeline_knot *knots;
	int rc;

	if (tl_sched_path(sched, path) != 0 ||
	    snprintf(aside, TL_PATH_MAX, "%s.new", sched) >= TL_PATH_MAX)
		return tl_fail(fault, -ENAMETOOLONG,
		    "the name of the timeline is too long");
	if (is_written(sched))
		return tl_fail(fault, -EBUSY,
		    "%s is written by another process", sched);
	unlink(aside); /* left by a process that was killed here */
	if ((rc = tl_create(&s->tl, aside, &options)) != 0)
		return tl_fail(fault, rc, "%s", timeline_error());
	/* Epochs are counted per file: this file begins with the epoch of the
	 * timeline. */
	knots = (void *)(s->tl->map + s->tl->geometry.knots_offset);
	if (of->epochs != 0) {
		s->tl->header->epochs = of->epochs;
		s->tl->header->clock.epoch = of->epochs;
		knots[0].epoch = of->epochs;
		tl_epoch_publish(s->tl);
	}
	s->tl->header->writer_abi = TIMELINE_SCHED_ABI;
	/* namespace of the thread numbers */
	s->tl->header->pidns_inode = of->pidns_inode;
	(void)!fchown(s->tl->fd, st->st_uid, st->st_gid);
	rc = define(s);
	if (rc == 0 && (flock(s->tl->fd, LOCK_EX | LOCK_NB) != 0 ||
			   rename(aside, sched) != 0))
		rc = -errno;
	if (rc != 0) {
		unlink(aside);
		tl_fail(fault, rc, "%s: %s", sched, strerror(-rc));
	}
	return rc;
}

int
tl_sched_new(struct tl_sched **out, const char *path, uint32_t cpus,
    const struct tl_sched_options *options, struct tl_fault *fault)
{
	struct tl_sched *s = calloc(1, sizeof(*s));
	struct timeline_header header;
	struct stat st;
	int rc = -ENOMEM;

	if (!s || !(s->last = calloc(cpus, sizeof(*s->last)))) {
		free(s);
		return tl_fail(fault, rc, "%s", strerror(-rc));
	}
	s->names = options->names;
	snprintf(s->path, sizeof(s->path), "%s", path);
	if ((rc = read_timeline(s, path, &header, &st, fault)) == 0)
		rc = make(s, path, cpus,
		    options->entries ? options->entries : ENTRIES_DEFAULT,
		    &header, &st, fault);
	if (rc != 0) {
		tl_sched_free(s);
		return rc;
	}
	for (uint32_t cpu = 0; cpu < cpus; cpu++)
		s->last[cpu] = tl_stamp_now(s->tl);
	s->temporary = options->temporary;
	*out = s;
	return 0;
}

void
tl_sched_free(struct tl_sched *s)
{
	if (!s)
		return;
	if (s->tl) {
		char sched[TL_PATH_MAX];

		tl_clock_visit(s->tl);
		/* locked until closed, so the file is ours */
		if (s->temporary && tl_sched_path(sched, s->path) == 0)
			unlink(sched);
		timeline_close(s->tl);
	}
	tl_table_free(&s->table);
	free(s->threads);
	free(s->last);
	free(s);
}

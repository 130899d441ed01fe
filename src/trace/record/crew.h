/* SPDX-License-Identifier: Apache-2.0 */
/*
 * crew.h - the two threads of recordings: each goes from recording to
 * recording, and sleeps until something is due.
 *
 *	reader	rounds of timelines, into batches
 *	writer	batches, into files
 *
 * A recording is in the list from its start until it is finished; whoever
 * takes it out waits until neither thread has it in hand.
 */
#ifndef TL_TRACE_RECORD_CREW_H
#define TL_TRACE_RECORD_CREW_H

#include "trace/record/recorder.h"

enum tl_crew_side { TL_CREW_READER, TL_CREW_WRITER, TL_CREW_SIDES };

/* 0, -ENOMEM. */
int tl_recorder_crew_add(struct tl_recorder_crew *crew,
    struct tl_recorder *recorder);
void tl_recorder_crew_remove(struct tl_recorder_crew *crew,
    struct tl_recorder *recorder);
/* Something came up before it was due. */
void
tl_recorder_crew_wake(struct tl_recorder_crew *crew, enum tl_crew_side side);

#endif

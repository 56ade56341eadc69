import type { Core } from './core.ts';

/**
 * Looks at all links again and again until the set is over: a replica that has requests and answers none for too long has failed; one that
 * answers late is slow: fewer writes are sent at once, it is not read from, and what it was asked for is asked of another one. One that has
 * nothing to do is asked for a sign of life.
 */
export async function watchLinks(core: Core): Promise<void> {
  const { clock } = core.options;
  const { replyTimeoutMs, leaseMs, slowFactor } = core.limits;
  const everyMs = Math.max(Math.floor(Math.min(replyTimeoutMs, leaseMs) / 8), 1);
  let hasSlept = false;
  for (;;) {
    const dueMs = clock.monotonicMs() + everyMs;
    await clock.sleep(everyMs, core.overSignal);
    const now = clock.monotonicMs();
    // A process that has slept itself looks at answers first: they are no fault of the replicas. One that is always late judges.
    hasSlept = !hasSlept && now - dueMs > everyMs;
    let slowestMs = 0;
    for (const member of core.members) {
      const oldestMs = member.link.oldestPendingMs ?? 0;
      slowestMs = Math.max(slowestMs, oldestMs);
      const silentMs = Math.min(oldestMs, now - member.progressAtMs);
      const isDead = silentMs > replyTimeoutMs || oldestMs > slowFactor * replyTimeoutMs;
      if (isDead && !hasSlept && !member.isRelinking)
        core.fail(member, { kind: 'timeout', message: `no answer for ${Math.round(oldestMs / 1_000)} s` });
      member.isSuspected = oldestMs > replyTimeoutMs / 4;
    }
    if (slowestMs > replyTimeoutMs / 8) core.pace.slower();
    else core.pace.faster();
    askAgain(core, now - replyTimeoutMs / 4);
    core.ask(core.members.filter(({ answeredSentAt }) => now - answeredSentAt >= leaseMs / 4));
  }
}

/** Reads that have waited since before `sinceMs` are asked of another replica. */
function askAgain(core: Core, sinceMs: number): void {
  for (const read of [...core.reads]) {
    if (read.askedAtMs > sinceMs) return;
    read.askAnother();
  }
}

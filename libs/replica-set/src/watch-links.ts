import { durationText } from '@lateen/kernel';
import type { Core } from './core.ts';

/**
 * Checks all links periodically until the set is over. A replica that has requests and does not answer any of them for too long has failed. A replica
 * that answers late is slow: fewer writes are in flight, reads go to other replicas, and its pending reads are also sent to another one. An idle
 * replica gets a keepalive.
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
    // If this process itself was suspended, it processes answers first, because the delay is not the replicas' fault. A process that is late every
    // time judges nevertheless.
    hasSlept = !hasSlept && now - dueMs > everyMs;
    let slowestMs = 0;
    for (const member of core.members) {
      const oldestMs = member.link.oldestPendingMs ?? 0;
      slowestMs = Math.max(slowestMs, oldestMs);
      const silentMs = Math.min(oldestMs, now - member.progressAtMs);
      const isDead = silentMs > replyTimeoutMs || oldestMs > slowFactor * replyTimeoutMs;
      if (isDead && !hasSlept && !member.isRelinking)
        core.fail(member, {
          kind: 'timeout',
          message: `no answer for ${durationText(Math.round(oldestMs / 1_000) * 1_000)}`,
        });
      member.isSuspected = oldestMs > replyTimeoutMs / 4;
    }
    if (slowestMs > replyTimeoutMs / 8) core.pace.slower();
    else core.pace.faster();
    askAgain(core, now - replyTimeoutMs / 4);
    core.ask(core.members.filter(({ answeredSentAt }) => now - answeredSentAt >= leaseMs / 4));
  }
}

/** Sends reads that have been pending since before `sinceMs` to another replica too. */
function askAgain(core: Core, sinceMs: number): void {
  for (const read of [...core.reads]) {
    if (read.askedAtMs > sinceMs) return;
    read.askAnother();
  }
}

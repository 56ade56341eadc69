import type { Core } from './core.ts';

/**
 * Looks at all links again and again until the set is over: a replica that leaves a request without an answer for too long has
 * failed, one that is slow is not read from, one that has nothing to do is asked for a sign of life.
 */
export async function watchLinks(core: Core): Promise<void> {
  const { clock } = core.options;
  const { replyTimeoutMs, leaseMs } = core.limits;
  const everyMs = Math.max(Math.floor(Math.min(replyTimeoutMs, leaseMs) / 8), 1);
  let hasSlept = false;
  for (;;) {
    const dueMs = clock.monotonicMs() + everyMs;
    await clock.sleep(everyMs, core.overSignal);
    const now = clock.monotonicMs();
    // A process that has slept itself looks at answers first: they are no fault of the replicas. One that is always late judges.
    hasSlept = !hasSlept && now - dueMs > everyMs;
    for (const member of core.members) {
      const oldestMs = member.link.oldestPendingMs ?? 0;
      if (oldestMs > replyTimeoutMs && !hasSlept && !member.isRelinking)
        core.fail(member, { kind: 'timeout', message: `no answer for ${Math.round(oldestMs / 1_000)} s` });
      member.isSuspected = oldestMs > replyTimeoutMs / 4;
    }
    core.ask(core.members.filter(({ answeredSentAt }) => now - answeredSentAt >= leaseMs / 4));
  }
}

import type { InstanceEvent, InstanceHost } from '@lateen/block-engine';
import { systemClock } from '@lateen/kernel';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import * as any from './arbitrary-messages.ts';
import { calls } from './calls.ts';
import { describePort, never, type Subject } from './describe-port.ts';
import { type ScriptedHost, scriptedHost } from './scripted-host.ts';

/** Makes `host` reachable in some way. */
export type Reach = (host: InstanceHost) => Promise<{ host: InstanceHost; end(): Promise<void> }>;

interface HostSubject extends Subject<InstanceHost> {
  readonly scripted: ScriptedHost;
}

/** A host behaves the same through `reach` as without it. */
export function describeInstanceHost(name: string, reach: Reach): void {
  describe(`InstanceHost: ${name}`, () => {
    const scripted = scriptedHost();
    const subject: HostSubject = { scripted, port: scripted, samples: calls };
    let end = async (): Promise<void> => {};
    beforeAll(async () => {
      const reached = await reach(scripted);
      subject.port = reached.host;
      end = reached.end;
    });
    beforeEach(() => scripted.forget());
    afterAll(() => end());
    describePort(subject);
    describeWatches(subject);
  });
}

function describeWatches(subject: HostSubject): void {
  it('a watch gives the whole state, then each change in order, and nothing is left out', async () => {
    const events = fc.sample(any.event, 60);
    subject.scripted.events = async function* ({ signal }) {
      yield* events;
      await systemClock.sleep(60_000, signal);
    };
    expect(await firstOf(subject.port, events.length)).toEqual(events);
  });

  it('a watch ends with the reason of the abort, while nothing happens, and the host is told', async () => {
    const told = Promise.withResolvers<void>();
    subject.scripted.events = async function* ({ signal }) {
      signal.addEventListener('abort', () => told.resolve(), { once: true });
      yield { type: 'synced' };
      await systemClock.sleep(60_000, signal);
    };
    const stop = new AbortController();
    const seen: InstanceEvent[] = [];
    const watching = (async () => {
      for await (const event of subject.port.watch({ signal: stop.signal })) seen.push(event);
    })();
    await expect.poll(() => seen).toEqual([{ type: 'synced' }]);
    stop.abort(new Error('enough'));
    await expect(watching).rejects.toThrow('enough');
    await told.promise;
  });

  it('a watch that nobody reads any more ends', async () => {
    const ended = Promise.withResolvers<void>();
    subject.scripted.events = async function* ({ signal }) {
      try {
        for (;;) {
          yield { type: 'synced' };
          await systemClock.sleep(1, signal);
        }
      } finally {
        ended.resolve();
      }
    };
    await firstOf(subject.port, 2);
    await ended.promise;
  });
}

async function firstOf(host: InstanceHost, count: number): Promise<InstanceEvent[]> {
  const seen: InstanceEvent[] = [];
  for await (const event of host.watch({ signal: never })) if (seen.push(event) === count) break;
  return seen;
}

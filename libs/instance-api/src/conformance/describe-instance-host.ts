import { hostError, hostErrorCodes, type InstanceEvent, type InstanceHost } from '@lateen/block-engine';
import { systemClock } from '@lateen/kernel';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import * as any from './arbitrary-messages.ts';
import { callNames, sampleOf } from './calls.ts';
import { ask, type ScriptedHost, scriptedHost } from './scripted-host.ts';

/** Makes `host` reachable in some way. */
export type Reach = (host: InstanceHost) => Promise<{ host: InstanceHost; end(): Promise<void> }>;

const never = new AbortController().signal;
const runs = { numRuns: 6 };
const streaming = callNames.filter((name) => sampleOf(name).streams);
const single = callNames.filter((name) => !sampleOf(name).streams);

interface Subject {
  readonly scripted: ScriptedHost;
  readonly host: InstanceHost;
}

/** Whoever calls a host through `reach` sees what it would see without. */
export function describeInstanceHost(name: string, reach: Reach): void {
  describe(`InstanceHost: ${name}`, () => {
    const scripted = scriptedHost();
    const subject = { scripted, host: scripted as InstanceHost };
    let end = async (): Promise<void> => {};
    beforeAll(async () => {
      const reached = await reach(scripted);
      subject.host = reached.host;
      end = reached.end;
    });
    beforeEach(() => scripted.forget());
    afterAll(() => end());
    describeCalls(subject);
    describeFailures(subject);
    describeWatches(subject);
  });
}

function describeCalls(subject: Subject): void {
  it.each(callNames)('%s takes every request to the host, and every answer back', async (call) => {
    const { request, answer, streams } = sampleOf(call);
    const answers = streams ? fc.array(answer, { maxLength: 3 }) : fc.tuple(answer);
    const property = fc.asyncProperty(request, answers, async (asked, given) => {
      subject.scripted.answers = () => given;
      expect(await ask(subject.host, call, asked, { signal: never })).toEqual(given);
      expect(subject.scripted.asked.pop()).toEqual({ name: call, request: asked });
    });
    await fc.assert(property, runs);
  });
}

function describeFailures(subject: Subject): void {
  it.each(hostErrorCodes.filter((code) => code !== 'HOST_UNREACHABLE'))('%s arrives as it was thrown', async (code) => {
    const error = hostError(code, 'it cannot be done', { nextStep: 'Do something else.' });
    subject.scripted.answers = () => Promise.reject(error);
    const { message, retry, nextStep } = error;
    for (const call of ['engineGrow', 'snapshotSum'] as const) {
      await expect(
        ask(subject.host, call, fc.sample(sampleOf(call).request, 1)[0], { signal: never }),
      ).rejects.toMatchObject({ code, message, retry, nextStep });
    }
  });

  it.each(streaming)('%s may fail after some messages, and they all arrive', async (call) => {
    const [request] = fc.sample(sampleOf(call).request, 1);
    const given = fc.sample(sampleOf(call).answer, 5);
    subject.scripted.answers = () => given;
    subject.scripted.thenThrows = hostError('REPLICA_GONE', 'the disk went away');
    const seen: unknown[] = [];
    const reading = async () => {
      const method = subject.host[call].bind(subject.host) as (asked: unknown, o: unknown) => AsyncIterable<unknown>;
      for await (const message of method(request, { signal: never })) seen.push(message);
    };
    await expect(reading()).rejects.toMatchObject({ code: 'REPLICA_GONE' });
    expect(seen).toEqual(given);
  });

  it.each(single)('%s ends with the reason of the abort, and the host is told', async (call) => {
    const told = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    subject.scripted.answers = (_name, { signal }) => {
      signal.addEventListener('abort', () => told.resolve(), { once: true });
      begun.resolve();
      return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    };
    const stop = new AbortController();
    const asking = ask(subject.host, call, fc.sample(sampleOf(call).request, 1)[0], { signal: stop.signal });
    await begun.promise;
    stop.abort(new Error('enough'));
    await expect(asking).rejects.toThrow('enough');
    await told.promise;
  });
}

function describeWatches(subject: Subject): void {
  it('a watch gives the whole state, then each change in order, and nothing is left out', async () => {
    const events = fc.sample(any.event, 60);
    subject.scripted.events = async function* ({ signal }) {
      yield* events;
      await systemClock.sleep(60_000, signal);
    };
    expect(await firstOf(subject.host, events.length)).toEqual(events);
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
      for await (const event of subject.host.watch({ signal: stop.signal })) seen.push(event);
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
    await firstOf(subject.host, 2);
    await ended.promise;
  });
}

async function firstOf(host: InstanceHost, count: number): Promise<InstanceEvent[]> {
  const seen: InstanceEvent[] = [];
  for await (const event of host.watch({ signal: never })) if (seen.push(event) === count) break;
  return seen;
}

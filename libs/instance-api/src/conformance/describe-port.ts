import { hostError, hostErrorCodes } from '@lateen/block-engine';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { CallSample } from './calls.ts';
import { ask, type Samples, type Scripted } from './scripted-host.ts';

/** A port as it is reached, and the one behind it. */
export interface Subject<Port extends object> {
  readonly scripted: Scripted & Port;
  port: Port;
  /** Each call of it. */
  readonly samples: Samples;
}

export const never = new AbortController().signal;
const runs = { numRuns: 6 };

/** The port behaves the same with and without the layer in between. */
export function describePort<Port extends object>(subject: Subject<Port>): void {
  describeAnswers(subject);
  describeFailures(subject);
}

const sampleOf = ({ samples }: { samples: Samples }, name: string): CallSample => {
  const sample = samples[name];
  if (sample === undefined) throw new Error(`there is no call ${name}`);
  return sample;
};
const requestOf = (subject: { samples: Samples }, name: string) => fc.sample(sampleOf(subject, name).request, 1)[0];

function describeAnswers<Port extends object>(subject: Subject<Port>): void {
  it.each(Object.keys(subject.samples))('%s takes every request, and every answer back', async (call) => {
    const { request, answer, streams } = sampleOf(subject, call);
    const answers = streams ? fc.array(answer, { maxLength: 3 }) : fc.tuple(answer);
    const property = fc.asyncProperty(request, answers, async (asked, given) => {
      subject.scripted.answers = () => given;
      expect(await ask(subject.port, subject.samples, call, asked, { signal: never })).toEqual(given);
      expect(subject.scripted.asked.pop()).toEqual({ name: call, request: asked });
    });
    await fc.assert(property, runs);
  });
}

function describeFailures<Port extends object>(subject: Subject<Port>): void {
  const { samples } = subject;
  const names = Object.keys(samples);
  const streaming = names.filter((name) => samples[name]?.streams);
  const single = names.filter((name) => !samples[name]?.streams);
  it.each(hostErrorCodes.filter((code) => code !== 'HOST_UNREACHABLE'))('%s arrives as it was thrown', async (code) => {
    const error = hostError(code, 'it cannot be done', { nextStep: 'Do something else.' });
    subject.scripted.answers = () => Promise.reject(error);
    const { message, retry, nextStep } = error;
    for (const call of [single[0], streaming[0]]) {
      const asking = ask(subject.port, samples, call ?? '', requestOf(subject, call ?? ''), { signal: never });
      await expect(asking).rejects.toMatchObject({ code, message, retry, nextStep });
    }
  });

  it.each(streaming)('%s may fail after some messages, and they all arrive', async (call) => {
    const given = fc.sample(sampleOf(subject, call).answer, 5);
    subject.scripted.answers = () => given;
    subject.scripted.thenThrows = hostError('REPLICA_GONE', 'the disk went away');
    const seen: unknown[] = [];
    const reading = async () => {
      const methods = subject.port as Record<string, (asked: unknown, o: unknown) => AsyncIterable<unknown>>;
      const messages = methods[call]?.(requestOf(subject, call), { signal: never }) ?? [];
      for await (const message of messages) seen.push(message);
    };
    await expect(reading()).rejects.toMatchObject({ code: 'REPLICA_GONE' });
    expect(seen).toEqual(given);
  });

  it.each(single)('%s ends with the reason of the abort, and the other side is told', async (call) => {
    const told = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    subject.scripted.answers = (_name, { signal }) => {
      signal.addEventListener('abort', () => told.resolve(), { once: true });
      begun.resolve();
      return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    };
    const stop = new AbortController();
    const asking = ask(subject.port, samples, call, requestOf(subject, call), { signal: stop.signal });
    await begun.promise;
    stop.abort(new Error('enough'));
    await expect(asking).rejects.toThrow('enough');
    await told.promise;
  });
}

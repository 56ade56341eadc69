import type { Call, InstanceEvent, InstanceHost } from '@lateen/block-engine';
import { type CallName, callNames, sampleOf } from './calls.ts';

/** A host that answers what the test says, and remembers what it was asked. */
export interface ScriptedHost extends InstanceHost {
  asked: { name: string; request: unknown }[];
  /** What the next calls answer; a stream gives these one after the other. Throwing answers with that error. */
  answers: (name: CallName, call: Call) => readonly unknown[] | Promise<readonly unknown[]>;
  /** What a stream throws after its answers. */
  thenThrows: Error | undefined;
  /** What a watch gives. */
  events: (call: Call) => AsyncIterable<InstanceEvent>;
  /** Back to answering nothing. */
  forget(): void;
}

type AnyCall = (...args: unknown[]) => unknown;

export function scriptedHost(): ScriptedHost {
  const state = {} as ScriptedHost;
  const forget = () => {
    const events = () => {
      throw new Error('no watch was expected');
    };
    Object.assign(state, { asked: [], answers: () => [], thenThrows: undefined, events });
  };
  forget();
  const note = (name: CallName, args: unknown[]): Call => {
    state.asked.push({ name, request: args.length === 1 ? undefined : args[0] });
    return args.at(-1) as Call;
  };
  const one =
    (name: CallName): AnyCall =>
    async (...args) =>
      (await state.answers(name, note(name, args)))[0];
  const many = (name: CallName): AnyCall =>
    async function* (...args) {
      yield* await state.answers(name, note(name, args));
      if (state.thenThrows !== undefined) throw state.thenThrows;
    };
  const methods = callNames.map((name) => [name, sampleOf(name).streams ? many(name) : one(name)]);
  return Object.assign(state, Object.fromEntries(methods), { forget, watch: (call: Call) => state.events(call) });
}

/** Calls a method by its name, and collects what comes: one answer, or those of a stream. */
export async function ask(host: InstanceHost, name: CallName, request: unknown, call: Call): Promise<unknown[]> {
  const method = host[name].bind(host) as AnyCall;
  const answer = name === 'info' ? method(call) : method(request, call);
  if (!sampleOf(name).streams) return [await answer];
  const messages: unknown[] = [];
  for await (const message of answer as AsyncIterable<unknown>) messages.push(message);
  return messages;
}

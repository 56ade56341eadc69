import type { Call, InstanceEvent, InstanceHost, ReplicaControl } from '@lateen/block-engine';
import { type CallSample, calls, controlCalls } from './calls.ts';

/** Answers what the test says, and remembers what it was asked. */
export interface Scripted {
  asked: { name: string; request: unknown }[];
  /** What the next calls answer; a stream gives these one after the other. Throwing answers with that error. */
  answers: (name: string, call: Call) => readonly unknown[] | Promise<readonly unknown[]>;
  /** What a stream throws after its answers. */
  thenThrows: Error | undefined;
  /** Back to answering nothing. */
  forget(): void;
}

export interface ScriptedHost extends Scripted, InstanceHost {
  /** What a watch gives. */
  events: (call: Call) => AsyncIterable<InstanceEvent>;
}

export interface ScriptedControl extends Scripted, ReplicaControl {}

export type Samples = Readonly<Record<string, CallSample>>;
type AnyCall = (...args: unknown[]) => unknown;

export function scriptedHost(): ScriptedHost {
  const state = scripted(calls) as ScriptedHost;
  const { forget } = state;
  const forgetAll = () => {
    forget();
    state.events = () => {
      throw new Error('no watch was expected');
    };
  };
  forgetAll();
  return Object.assign(state, { forget: forgetAll, watch: (call: Call) => state.events(call) });
}

export const scriptedControl = (): ScriptedControl => scripted(controlCalls) as ScriptedControl;

function scripted(samples: Samples): Scripted {
  const state = {} as Scripted;
  const forget = () => Object.assign(state, { asked: [], answers: () => [], thenThrows: undefined });
  forget();
  const note = (name: string, args: unknown[]): Call => {
    state.asked.push({ name, request: args.length === 1 ? undefined : args[0] });
    return args.at(-1) as Call;
  };
  const one =
    (name: string): AnyCall =>
    async (...args) =>
      (await state.answers(name, note(name, args)))[0];
  const many = (name: string): AnyCall =>
    async function* (...args) {
      yield* await state.answers(name, note(name, args));
      if (state.thenThrows !== undefined) throw state.thenThrows;
    };
  const methods = Object.entries(samples).map(([name, { streams }]) => [name, streams ? many(name) : one(name)]);
  return Object.assign(state, Object.fromEntries(methods), { forget });
}

/** Calls a method by its name, and collects what comes: one answer, or those of a stream. */
export async function ask(
  port: object,
  samples: Samples,
  name: string,
  request: unknown,
  call: Call,
): Promise<unknown[]> {
  const method = ((port as Record<string, AnyCall>)[name] as AnyCall).bind(port);
  const answer = name === 'info' ? method(call) : method(request, call);
  if (!samples[name]?.streams) return [await answer];
  const messages: unknown[] = [];
  for await (const message of answer as AsyncIterable<unknown>) messages.push(message);
  return messages;
}

import { type Clock, orAborted, unlessAborted } from '@lateen/kernel';
import type { ProcessHealth, WantedProcess } from './process-plan.ts';

export interface AskPorts {
  /** Whether the socket of a running process answers. */
  answers(process: WantedProcess, signal: AbortSignal): Promise<boolean>;
  clock: Clock;
}

/** A pass over all processes waits at most this long for one: starts and ends of the others are delayed meanwhile. */
const patienceMs = 500;
/** A probe without an answer after this time is aborted and repeated. */
const questionMs = 10_000;

/** Probes whether processes answer. One that was late is `silent`, and is not waited for again until its probe has ended. */
export class AskProcesses {
  readonly #ports: AskPorts;
  /** Runs with a probe that was not answered in time. */
  readonly #late = new Set<string>();

  constructor(ports: AskPorts) {
    this.#ports = ports;
  }

  /** @throws the signal's reason on abort */
  async health(process: WantedProcess, signal: AbortSignal): Promise<Extract<ProcessHealth, 'answers' | 'silent'>> {
    const key = `${process.id} ${process.run}`;
    if (this.#late.has(key)) return 'silent';
    const question = this.#ask(process, signal);
    const patience = this.#ports.clock.deadline(patienceMs);
    const answer = await unlessAborted(question, AbortSignal.any([signal, patience]));
    signal.throwIfAborted();
    if (answer === undefined) {
      this.#late.add(key);
      void question.then(() => this.#late.delete(key));
    }
    return answer === true ? 'answers' : 'silent';
  }

  /** Never rejects. */
  async #ask(process: WantedProcess, signal: AbortSignal): Promise<boolean> {
    const ends = AbortSignal.any([signal, this.#ports.clock.deadline(questionMs)]);
    try {
      return await orAborted(this.#ports.answers(process, ends), ends);
    } catch {
      return false;
    }
  }
}

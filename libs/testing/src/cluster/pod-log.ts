import type { ObjectKey, PodLogOptions, PodLogs } from '@lateen/kube';
import { keyText } from '@lateen/kube';
import { badRequest, notFound } from './api-error.ts';
import type { ServerState } from './server-state.ts';

const pods = { group: '', version: 'v1', resource: 'pods', kind: 'Pod', namespaced: true } as const;

/** Small, so that readers meet lines that are torn apart. */
const chunkBytes = 48;

/** The logs that a test gave to pods. `follow` ends with the text that is there. */
export class FakePodLogs implements PodLogs {
  readonly #state: ServerState;
  readonly #texts = new Map<string, string>();

  constructor(state: ServerState) {
    this.#state = state;
  }

  set(pod: ObjectKey, text: string, container = ''): void {
    this.#texts.set(`${keyText(pod)}/${container}`, text);
  }

  async *stream(pod: ObjectKey, options: PodLogOptions): AsyncGenerator<Uint8Array, void, void> {
    options.signal?.throwIfAborted();
    const entry = this.#state.store.get('/Pod', pod);
    if (entry === undefined) throw notFound(pods, pod.name);
    const { status } = entry.object as { status?: { phase?: string } };
    const key = keyText(pod);
    const text = this.#texts.get(`${key}/${options.container ?? ''}`) ?? this.#texts.get(`${key}/`);
    if (text === undefined && status?.phase === 'Pending') {
      const container = options.container ?? 'main';
      throw badRequest(`container "${container}" in pod "${pod.name}" is waiting to start: ContainerCreating`);
    }
    const bytes = Buffer.from(lastLines(text ?? '', options.tailLines));
    for (let at = 0; at < bytes.length; at += chunkBytes) {
      options.signal?.throwIfAborted();
      yield bytes.subarray(at, at + chunkBytes);
    }
  }
}

function lastLines(text: string, count: number | undefined): string {
  if (count === undefined) return text;
  const lines = text.split(/(?<=\n)/);
  return lines.slice(Math.max(lines.length - count, 0)).join('');
}

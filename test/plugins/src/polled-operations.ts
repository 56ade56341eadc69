import type { KubeObject, OperationProgress } from '@lateen/plugin';

const startedMs = Date.UTC(2030, 0, 1);

/** The ID of an operation, which contains its whole state. */
export function operationIdOf(
  { polls, error = '' }: { polls: number; error?: string },
  { metadata }: KubeObject,
): string {
  return [polls, encodeURIComponent(error), metadata.namespace ?? '', metadata.name ?? ''].join('/');
}

/** Operations that progress each time they are polled. */
export class PolledOperations {
  readonly #asked = new Map<string, number>();
  readonly #cancelled = new Set<string>();

  progress(id: string): OperationProgress {
    const { polls, error } = parsed(id);
    const asked = (this.#asked.get(id) ?? 0) + 1;
    this.#asked.set(id, asked);
    const cancelled = this.#cancelled.has(id);
    const completed = cancelled || asked >= polls;
    const why = cancelled ? 'cancelled' : error;
    return {
      completed,
      nCompleted: Math.min(asked, polls),
      nTotal: polls,
      units: 'polls',
      description: 'asked',
      startedAt: timeText(startedMs),
      updatedAt: timeText(startedMs + asked * 1_000),
      ...(completed && why !== '' ? { error: why } : {}),
    };
  }

  cancel(id: string): void {
    parsed(id);
    this.#cancelled.add(id);
  }
}

const timeText = (ms: number): string => new Date(ms).toISOString();

function parsed(id: string): { polls: number; error: string } {
  const [polls = '', error = '', ...item] = id.split('/');
  if (!/^\d+$/.test(polls) || item.length !== 2) throw new Error(`no such operation: ${id}`);
  return { polls: Number(polls), error: decodeURIComponent(error) };
}

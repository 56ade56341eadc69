import type { ResourceType } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import type { Clock } from '@lateen/kernel';
import { type KubeApi, type KubeObject, keyOf, type Unstructured } from '@lateen/kube';
import { typeOf } from './manifest-kinds.ts';

interface Definition extends KubeObject {
  status?: { conditions?: { type: string; status: string; message?: string }[] };
}

/** Establishing takes tens of milliseconds; there is nothing to learn from a watch that a second look does not tell. */
const lookAgainMs = 100;

/**
 * Resolves when the API server serves the CustomResourceDefinition's objects.
 * @throws DEFINITION_NOT_ESTABLISHED with the server's reason, after `readyTimeoutMs`
 */
export async function waitForDefinition(
  kube: KubeApi,
  object: Unstructured,
  { clock, signal, readyTimeoutMs }: { clock: Clock; signal: AbortSignal; readyTimeoutMs: number },
): Promise<void> {
  const type: ResourceType<Definition> = typeOf(object);
  const giveUpMs = clock.monotonicMs() + readyTimeoutMs;
  for (;;) {
    const { status } = await kube.get(type, keyOf(object), { signal });
    const conditions = status?.conditions ?? [];
    if (conditions.some((it) => it.type === 'Established' && it.status === 'True')) return;
    if (clock.monotonicMs() >= giveUpMs) {
      const reason = conditions.find((it) => it.status === 'False')?.message ?? 'no reason given';
      throw new AppError(
        'DEFINITION_NOT_ESTABLISHED',
        `${object.kind} ${object.metadata.name} is not served: ${reason}`,
      );
    }
    await clock.sleep(lookAgainMs, signal);
  }
}

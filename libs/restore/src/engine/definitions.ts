import type { ResourceType, Unstructured } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import { durationText, Places } from '@lateen/kernel';
import { waitForObject } from '@lateen/kube-runtime';
import type { RestoreEnginePorts } from './contract.ts';
import type { ServedTypes } from './item-run.ts';

export const definitionType: ResourceType<Unstructured> = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  resource: 'customresourcedefinitions',
  kind: 'CustomResourceDefinition',
  namespaced: false,
};

/** How many CRDs are watched at the same time; each is ready within a second or two, or never. */
const watchedMax = 16;

/** The poll interval of discovery, which cannot be watched. */
const lookAgainMs = 1_000;

type DefinitionPorts = Pick<RestoreEnginePorts, 'kube' | 'clock' | 'random' | 'log' | 'limits'>;

/** Waits until custom resources of restored CRDs can be created. */
export class ServedDefinitions {
  readonly #ports: DefinitionPorts;
  readonly #types: ServedTypes;
  readonly #watched = new Places(watchedMax);

  constructor(ports: DefinitionPorts, types: ServedTypes) {
    this.#ports = ports;
    this.#types = types;
  }

  /** @throws DEFINITION_NOT_READY after the resource timeout, or when the CRD can never be served; the signal's reason */
  async wait(name: string, signal: AbortSignal): Promise<void> {
    const { clock, limits } = this.#ports;
    const { resourceTimeoutMs } = limits;
    await this.#watched.take(name, undefined, signal);
    const late = clock.deadline(resourceTimeoutMs);
    const either = AbortSignal.any([signal, late]);
    try {
      await this.#established(name, either);
      for (;;) {
        await this.#types.refresh(either);
        if (this.#types.find(name) !== undefined) return;
        await clock.sleep(lookAgainMs, either);
      }
    } catch (error) {
      if (signal.aborted || !late.aborted) throw error;
      throw new AppError(
        'DEFINITION_NOT_READY',
        `its resources were not served within ${durationText(resourceTimeoutMs)}`,
        {
          nextStep: 'See the conditions of the CustomResourceDefinition. --resource-timeout gives it more time.',
          cause: error,
        },
      );
    } finally {
      this.#watched.release(name);
    }
  }

  async #established(name: string, signal: AbortSignal): Promise<void> {
    const { kube: api, clock, random, log } = this.#ports;
    await waitForObject({
      api,
      type: definitionType,
      key: { name },
      clock,
      random,
      log,
      signal,
      until: (definition) => {
        if (definition === undefined) return undefined;
        const refused = conditionOf(definition, 'NamesAccepted', 'False');
        if (refused !== undefined)
          throw new AppError(
            'DEFINITION_NOT_READY',
            `its names are not accepted: ${refused.message ?? refused.reason ?? ''}`,
            {
              nextStep: 'Another CustomResourceDefinition has one of these names.',
            },
          );
        return conditionOf(definition, 'Established', 'True') === undefined ? undefined : true;
      },
    });
  }
}

interface Condition {
  type: string;
  status: string;
  reason?: string;
  message?: string;
}

function conditionOf({ status }: Unstructured, type: string, value: string): Condition | undefined {
  const { conditions } = (status ?? {}) as { conditions?: Condition[] | null };
  return conditions?.find((each) => each.type === type && each.status === value);
}

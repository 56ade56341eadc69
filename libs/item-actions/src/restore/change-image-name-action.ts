import type { Container, PodSpec } from '@lateen/api-types';
import type { Logger } from '@lateen/kernel';
import type { RestoreItemAction } from '../contract/restore-item-action.ts';
import { perRestore } from '../per-run.ts';
import { actionConfig } from './action-config.ts';
import { withPodSpec } from './pod-spec-of.ts';

const name = 'velero.io/change-image-name';

interface Rule {
  from: string;
  to: string;
}

/** Changes the images of containers: the ConfigMap has rules `old,new`, and the first rule whose text is found is applied. */
export function changeImageNameAction(): RestoreItemAction {
  const config = actionConfig(name);
  const read = perRestore(async (context, signal) => rulesOf((await config(context, signal)) ?? {}, context.log));
  return {
    name,
    appliesTo: {
      includedResources: [
        'pods',
        'replicationcontrollers',
        'daemonsets.apps',
        'deployments.apps',
        'replicasets.apps',
        'statefulsets.apps',
        'cronjobs.batch',
        'jobs.batch',
      ],
    },
    execute: async ({ item }, context, signal) => {
      const rules = await read(context, signal);
      if (rules.length === 0) return { updatedItem: item };
      return { updatedItem: withPodSpec(item, (spec) => ({ ...spec, ...imagesOf(spec, rules) })) };
    },
  };
}

/** In the order of their keys; Velero's order is random. */
function rulesOf(data: Readonly<Record<string, string>>, log: Logger): Rule[] {
  return Object.entries(data)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([key, text]) => {
      const [from = '', to, ...rest] = text.split(',').map((part) => part.trim());
      if (from !== '' && to !== undefined && rest.length === 0) return [{ from, to }];
      log.warn({ key }, 'The rule for image names is not of the form "old,new" and is not used');
      return [];
    });
}

function imagesOf({ containers, initContainers }: Partial<PodSpec>, rules: readonly Rule[]): Partial<PodSpec> {
  const changed = (container: Container): Container => {
    const { image } = container;
    const rule = rules.find(({ from }) => image?.includes(from));
    return image === undefined || rule === undefined
      ? container
      : { ...container, image: image.replaceAll(rule.from, () => rule.to) };
  };
  return {
    ...(containers === undefined ? {} : { containers: containers.map(changed) }),
    ...(initContainers === undefined ? {} : { initContainers: initContainers.map(changed) }),
  };
}

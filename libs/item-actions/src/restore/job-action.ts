import type { Unstructured } from '@lateen/api-types';
import type { RestoreItemAction } from '../contract/restore-item-action.ts';

type Labels = Record<string, string>;

interface Job extends Unstructured {
  spec?: {
    selector?: { matchLabels?: Labels; [field: string]: unknown };
    template?: { metadata?: { labels?: Labels; [field: string]: unknown }; [field: string]: unknown };
    [field: string]: unknown;
  };
}

/** A job finds its pods by its UID; the restored job gets another. */
const uidLabels: readonly string[] = ['controller-uid', 'batch.kubernetes.io/controller-uid'];

/** Removes the job's old UID from its selector and its pod template. */
export const jobAction: RestoreItemAction = {
  name: 'velero.io/job',
  appliesTo: { includedResources: ['jobs.batch'] },
  execute: async ({ item }) => {
    const { spec } = item as Job;
    if (spec === undefined) return { updatedItem: item };
    const { selector, template } = spec;
    const selected = selector?.matchLabels;
    const given = template?.metadata?.labels;
    return {
      updatedItem: {
        ...item,
        spec: {
          ...spec,
          ...(selected === undefined ? {} : { selector: { ...selector, matchLabels: withoutUid(selected) } }),
          ...(given === undefined
            ? {}
            : { template: { ...template, metadata: { ...template?.metadata, labels: withoutUid(given) } } }),
        },
      },
    };
  },
};

const withoutUid = (labels: Labels): Labels =>
  Object.fromEntries(Object.entries(labels).filter(([key]) => !uidLabels.includes(key)));

import type { RestoreItemAction } from '../contract/restore-item-action.ts';

/** APIServices that the aggregator manages are not restored: it has created its own. */
export const apiServiceAction: RestoreItemAction = {
  name: 'velero.io/apiservice',
  appliesTo: {
    includedResources: ['apiservices.apiregistration.k8s.io'],
    labelSelector: 'kube-aggregator.kubernetes.io/automanaged',
  },
  execute: async ({ item }) => ({ updatedItem: item, skipRestore: true }),
};

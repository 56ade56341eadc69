import type { RestoreItemAction } from '../contract/restore-item-action.ts';

/** APIServices that the aggregator keeps by itself are not restored: it has made its own. */
export const apiServiceAction: RestoreItemAction = {
  name: 'velero.io/apiservice',
  appliesTo: {
    includedResources: ['apiservices.apiregistration.k8s.io'],
    labelSelector: 'kube-aggregator.kubernetes.io/automanaged',
  },
  execute: async ({ item }) => ({ updatedItem: item, skipRestore: true }),
};

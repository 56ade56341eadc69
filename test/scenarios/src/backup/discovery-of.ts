import { type Discovery, matchResourceType } from '@lateen/kube';
import type { FakeCluster } from '@lateen/testing';

/** What the cluster in memory serves, read again at each call. */
export function discoveryOf(cluster: FakeCluster): Discovery {
  return {
    resourceTypes: () => cluster.resourceTypes(),
    findResourceType: async (query) => {
      const found = matchResourceType(await cluster.resourceTypes(), query);
      if (found === undefined) throw new Error(`the cluster in memory has no resource type ${JSON.stringify(query)}`);
      return found;
    },
  };
}

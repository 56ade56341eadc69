import { type DiscoveredType, groupResourceText, matchResourceType } from '@lateen/kube';

/** What names of resources mean in a cluster. */
export interface ResourceNames {
  /**
   * `deployments.apps` for `deploy`, `deployment`, `Deployment`, `deployments` and `deployments.apps`. A name that the cluster does
   * not know stays as it is: it may be a glob, or a resource that is gone.
   */
  resolve(name: string): string;
  /** Whether the cluster knows it. */
  type(name: string): DiscoveredType | undefined;
}

export function resourceNames(types: readonly DiscoveredType[]): ResourceNames {
  const type = (name: string) => (/[*?[]/.test(name) ? undefined : matchResourceType(types, name));
  return {
    type,
    resolve: (name) => {
      const found = type(name);
      return found === undefined ? name : groupResourceText(found);
    },
  };
}

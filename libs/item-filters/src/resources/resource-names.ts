import { type DiscoveredType, groupResourceText, matchResourceType } from '@lateen/kube';

/** Resolves names of resources in a cluster. */
export interface ResourceNames {
  /**
   * `deployments.apps` for `deploy`, `deployment`, `Deployment`, `deployments` and `deployments.apps`. An unknown name stays as it is: it may
   * be a glob, or a resource that is no longer served.
   */
  resolve(name: string): string;
  /** The type of that name; undefined when the cluster does not serve it. */
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

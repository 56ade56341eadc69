import type { KubeObject } from '@lateen/kube';
import type { ExistingInstallation } from '@lateen/operations/installation';
import type { InstallSettings } from './install-settings.ts';

type Found = Pick<ExistingInstallation, 'locations' | 'hasSecret'> & { controller: KubeObject | undefined };

/**
 * What neither the command line nor the cluster tells, in Velero's words. Nobody is asked for a location where there is
 * one, nor for its keys: whoever made it has seen to them. Pure.
 */
export function missingFlags(
  { missing, location }: Pick<InstallSettings, 'missing' | 'location'>,
  { controller, locations, hasSecret }: Found,
): readonly string[] {
  if (location !== undefined) return hasSecret ? [] : missing;
  return controller !== undefined || locations.length > 0 ? [] : missing;
}

import type { KubeObject } from '@lateen/kube';
import type { ExistingInstallation } from '@lateen/operations/installation';
import type { InstallSettings } from './install-settings.ts';

type Found = Pick<ExistingInstallation, 'locations' | 'hasSecret'> & { controller: KubeObject | undefined };

/**
 * The required flags that neither the command line nor the cluster answers, in Velero's words. When a location exists, no flags
 * for a location or its keys are required: its creator has set them. Pure.
 */
export function missingFlags(
  { missing, location }: Pick<InstallSettings, 'missing' | 'location'>,
  { controller, locations, hasSecret }: Found,
): readonly string[] {
  if (location !== undefined) return hasSecret ? [] : missing;
  return controller !== undefined || locations.length > 0 ? [] : missing;
}

import type { Route } from '../serving/rest-call.ts';
import { backupTargetRoutes } from './backup-target-routes.ts';
import { backupVolumeRoutes } from './backup-volume-routes.ts';
import { readOnlyRoutes } from './collection-routes.ts';
import { engineImageRoutes } from './engine-image-routes.ts';
import { nodeRoutes } from './node-routes.ts';
import { orphanRoutes } from './orphan-routes.ts';
import { recurringJobRoutes } from './recurring-job-routes.ts';
import { settingRoutes } from './setting-routes.ts';
import { unsupportedRoutes } from './unsupported-routes.ts';
import { versionRoutes } from './version-routes.ts';
import { volumeRoutes } from './volume-routes.ts';

/** Every path of the API with its operations (longhorn-api.md section 4). */
export const restRoutes: readonly Route[] = [
  ...versionRoutes,
  ...readOnlyRoutes,
  ...volumeRoutes,
  ...settingRoutes,
  ...nodeRoutes,
  ...recurringJobRoutes,
  ...engineImageRoutes,
  ...backupTargetRoutes,
  ...backupVolumeRoutes,
  ...orphanRoutes,
  ...unsupportedRoutes,
];

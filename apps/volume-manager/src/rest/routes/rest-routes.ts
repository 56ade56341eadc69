import type { Route } from '../serving/rest-call.ts';
import { readOnlyRoutes } from './collection-routes.ts';
import { versionRoutes } from './version-routes.ts';
import { volumeRoutes } from './volume-routes.ts';

/** Every path of the API and what can be done there (longhorn-api.md section 4). */
export const restRoutes: readonly Route[] = [...versionRoutes, ...readOnlyRoutes, ...volumeRoutes];

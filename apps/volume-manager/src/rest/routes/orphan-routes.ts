import type { Route } from '../serving/rest-call.ts';
import { listEndpoint, oneEndpoint } from './collection-routes.ts';
import { deleteEndpoint } from './delete-endpoint.ts';

/** Deleting an Orphan deletes the data or process behind it, if it is certain that nothing owns it. */
export const orphanRoutes: readonly Route[] = [
  { path: '/v1/orphans', methods: { GET: listEndpoint('orphans') } },
  {
    path: '/v1/orphans/:name',
    methods: { GET: oneEndpoint('orphans'), DELETE: deleteEndpoint('orphans', 'orphans') },
  },
];

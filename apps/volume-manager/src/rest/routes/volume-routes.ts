import { listings } from '../reading/listings.ts';
import { longhornNeed, type Route } from '../serving/rest-call.ts';
import { listEndpoint } from './collection-routes.ts';

export const volumeRoutes: readonly Route[] = [
  { path: '/v1/volumes', methods: { GET: listEndpoint('volumes') } },
  {
    path: '/v1/volumes/:name',
    methods: {
      GET: {
        needs: [longhornNeed('get', 'volumes')],
        handle: ({ name, base }, { reader }) => {
          const body = listings.volumes?.one(reader, name, base);
          // Without a body, as clients have always seen it.
          return body === undefined ? { status: 404 } : { body };
        },
      },
    },
  },
];

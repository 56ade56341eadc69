import type { Registry } from 'prom-client';
import type { Route } from '../serving/rest-call.ts';

/** `/metrics`, as Prometheus reads them: whoever is known may. */
export const metricsRoutes = (registry: Registry): readonly Route[] => [
  {
    path: '/metrics',
    methods: {
      GET: { needs: [], handle: async () => ({ body: await registry.metrics(), contentType: registry.contentType }) },
    },
  },
];

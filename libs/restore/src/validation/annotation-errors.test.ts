import { expect, it } from 'vitest';
import { annotationErrors } from './annotation-errors.ts';

it.each<[annotations: Record<string, string> | undefined, errors: string[]]>([
  [undefined, []],
  [{ other: 'x' }, []],
  [{ 'lateen.dev/existing-volumes': 'shop/data=full,shop/logs=none' }, []],
  [
    { 'lateen.dev/existing-volumes': 'data=full' },
    ['annotation lateen.dev/existing-volumes: "data=full" is not of the form namespace/claim=policy'],
  ],
  [{ 'lateen.dev/scale-workloads': 'true', 'lateen.dev/keep-old-data': 'false' }, []],
  [
    { 'lateen.dev/scale-workloads': 'yes', 'lateen.dev/keep-old-data': 'False' },
    [
      'annotation lateen.dev/scale-workloads: "yes" is not true or false',
      'annotation lateen.dev/keep-old-data: "False" is not true or false',
    ],
  ],
  [{ 'lateen.dev/on-failed-pod-volume': 'start' }, []],
  [
    { 'lateen.dev/on-failed-pod-volume': 'go' },
    ['annotation lateen.dev/on-failed-pod-volume: "go" is not one of wait, start'],
  ],
  [{ 'lateen.dev/wait-for-data': 'true' }, []],
  [{ 'lateen.dev/wait-for-data': '2h' }, []],
  [
    { 'lateen.dev/wait-for-data': '2 hours' },
    ['annotation lateen.dev/wait-for-data: "2 hours" is not true, false or a duration'],
  ],
  [
    { 'lateen.dev/wait-for-data': '-1h' },
    ['annotation lateen.dev/wait-for-data: "-1h" is not true, false or a duration'],
  ],
])('of %j: %j', (annotations, errors) => {
  expect(annotationErrors({ metadata: annotations === undefined ? {} : { annotations } })).toEqual(errors);
});

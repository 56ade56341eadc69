/** What a server answers; for tests alone. */
export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}
export type Ask = (method: string, url: string, body?: unknown) => Answer;

/** An object as the client has it: fields, and the addresses that it follows. */
export interface ClientObject {
  readonly id: string;
  readonly type: string;
  readonly links: Readonly<Record<string, string>>;
  readonly actions: Readonly<Record<string, string>>;
  readonly [field: string]: unknown;
}
interface ClientSchema extends ClientObject {
  readonly collectionMethods: readonly string[];
  readonly resourceMethods: readonly string[];
}
type Listed = { readonly data: readonly ClientObject[] };

/**
 * What the public clients of this API do, which know no type beforehand: they find the schemas by a header, make methods of what these say, and
 * follow links and actions as they are given. For tests alone.
 */
export class DynamicClient {
  readonly types: ReadonlyMap<string, ClientSchema>;
  readonly #ask: Ask;

  constructor(url: string, ask: Ask) {
    this.#ask = ask;
    const found = ask('GET', url).headers?.['X-API-Schemas'];
    if (found === undefined) throw new Error(`${url} does not say where the schemas are`);
    const { data } = this.#send('GET', found) as Listed;
    this.types = new Map(data.map((schema) => [schema.id, schema as ClientSchema]));
  }

  /** Names of the methods that a script can call, as `list_engine_image` and `by_id_engineImage`. */
  methods(): string[] {
    return [...this.types.values()].flatMap(({ id, collectionMethods, resourceMethods }) => {
      const verbs = [
        ...(collectionMethods.includes('GET') ? ['list', 'by_id'] : []),
        ...(collectionMethods.includes('POST') ? ['create'] : []),
        ...(resourceMethods.includes('PUT') ? ['update'] : []),
        ...(resourceMethods.includes('DELETE') ? ['delete'] : []),
      ];
      return verbs.flatMap((verb) => [...new Set([id, snakeCase(id)])].map((name) => `${verb}_${name}`));
    });
  }

  list(type: string): readonly ClientObject[] {
    return (this.#send('GET', this.#collection(type, 'GET')) as Listed).data;
  }

  byId(type: string, id: string): ClientObject {
    return this.#send('GET', `${this.#collection(type, 'GET')}/${id}`) as ClientObject;
  }

  create(type: string, fields: object): ClientObject {
    return this.#send('POST', this.#collection(type, 'POST'), fields) as ClientObject;
  }

  update(object: ClientObject, fields: object): ClientObject {
    return this.#send('PUT', this.#self(object, 'PUT'), fields) as ClientObject;
  }

  delete(object: ClientObject): void {
    this.#send('DELETE', this.#self(object, 'DELETE'));
  }

  /** Any names and values go as the body, whatever the schema says of the input. */
  action(object: ClientObject, name: string, fields: object = {}): unknown {
    const url = object.actions[name];
    if (url === undefined) throw new Error(`'${object.type}' ${object.id} has no action ${name}`);
    return this.#send('POST', url, fields);
  }

  reload(object: ClientObject): ClientObject {
    return this.#send('GET', object.links.self ?? '') as ClientObject;
  }

  #collection(type: string, method: string): string {
    const schema = this.types.get(type);
    const url = schema?.links.collection;
    if (url === undefined || !schema?.collectionMethods.includes(method)) throw new Error(`no ${method} for ${type}`);
    return url;
  }

  #self(object: ClientObject, method: string): string {
    const allowed = this.types.get(object.type)?.resourceMethods.includes(method) === true;
    if (!allowed || object.links.self === undefined) throw new Error(`no ${method} for ${object.type}`);
    return object.links.self;
  }

  #send(method: string, url: string, body?: unknown): unknown {
    const answer = this.#ask(method, url, body);
    if (answer.status >= 300) throw new Error(`${method} ${url}: ${answer.status}`);
    return answer.body;
  }
}

const snakeCase = (id: string): string => id.replace(/(?<=[a-z])[A-Z]/g, (letter) => `_${letter}`).toLowerCase();

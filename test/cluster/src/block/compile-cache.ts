/** What the image sets for its programs, where whoever runs this has set it. */
export const compileCache = (): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) =>
      name.startsWith('NODE_COMPILE_CACHE') && value !== undefined ? [[name, value]] : [],
    ),
  );

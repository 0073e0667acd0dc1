/** Types for the part of Swagger UI that the reference uses. */
declare module 'swagger-ui-dist/swagger-ui-es-bundle.js' {
  export interface SwaggerUi {
    getSystem(): { layoutActions: { show(path: string[], shown: boolean): void } }
  }

  type Component = (properties: { pathMethod: [path: string, method: string] }) => unknown

  interface System {
    // biome-ignore lint/suspicious/noExplicitAny: elements of any type
    React: { createElement(type: any, properties: object, ...children: unknown[]): unknown }
  }

  export type SwaggerPlugin = () => {
    wrapComponents: Record<string, (original: Component, system: System) => Component>
  }

  export default function swaggerUi(options: Record<string, unknown>): SwaggerUi
}

declare module '*.css'

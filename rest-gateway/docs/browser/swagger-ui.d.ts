/** The part of Swagger UI that is used here. */
declare module 'swagger-ui-dist/swagger-ui-es-bundle.js' {
  export interface SwaggerUi {
    getSystem(): { layoutActions: { show(what: string[], shown: boolean): void } }
  }

  export default function swaggerUi(options: Record<string, unknown>): SwaggerUi
}

declare module '*.css'

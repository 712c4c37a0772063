"""Echoes; every 2000th call computes for 0.4 s within the event loop."""
import asyncio, time, grpc

calls = 0

async def echo(request, context):
    global calls
    calls += 1
    if calls % 2000 == 0:
        begun = time.monotonic()
        while time.monotonic() < begun + 0.4:
            pass
        print(f"busy for {1000 * (time.monotonic() - begun):.1f} ms", flush=True)
    return request

async def serve():
    server = grpc.aio.server()
    echoes = {"Echo": grpc.unary_unary_rpc_method_handler(echo)}
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("t.Echo", echoes),))
    server.add_insecure_port("127.0.0.1:7497")
    await server.start()
    await asyncio.sleep(40)
    await server.stop(0.2)

asyncio.run(serve())
